"""The global options: where the memories are, whose they are, and how the answer is shown."""

import os
import shlex
from pathlib import Path

import click
from click.core import ParameterSource

from cued.folders import Address, place, user_folder

_META = "cued.settings."
_TYPED = "cued.settings typed"
GLOBAL_NAMES = ("db", "tenant", "embedder", "policy", "keep", "journal", "json")
ASKING_NAMES = (*GLOBAL_NAMES, "direct")
"""Those of the commands that ask a running server, where there is one."""


class Settings:
    """The global options as they stand for this command: those after the verb win over those before it."""

    def __init__(self, ctx: click.Context) -> None:
        """Read what the options have left in the context."""
        said = {name: ctx.meta.get(_META + name) for name in ASKING_NAMES}
        self.default_db = said["db"] is None
        self.db: Path | Address = _place(said["db"]) if said["db"] is not None else default_db()
        self.tenant: str = said["tenant"] or "me"
        self.embedder: str | None = None if said["embedder"] == "none" else said["embedder"] or "auto"
        self.policy: str | None = said["policy"]
        self.journal = bool(said["journal"])
        self.json = bool(said["json"])
        self.direct = bool(said["direct"])
        self.keep: str = said["keep"] or "off"
        self._typed: dict[str, str] = ctx.meta.get(_TYPED, {})

    def typed(self, name: str) -> str | None:
        """What was typed for a global option here; None where it was left out, whatever the environment says."""
        return self._typed.get(name)

    def again(self, command: str) -> str:
        """A command with what was typed here for the database and the tenant, so that it works on the same memories."""
        kept = [word for name in ("db", "tenant") if name in self._typed for word in (f"--{name}", self._typed[name])]
        return " ".join([command, shlex.join(kept)]) if kept else command


def settings() -> Settings:
    """The settings of the command that is running."""
    return Settings(click.get_current_context())


def _place(said: str) -> Path | Address:
    found = place(said)
    return found.expanduser() if isinstance(found, Path) else found


def default_db() -> Path:
    """The database's usual place: in the platform's folder for a user's data."""
    return user_folder("data") / "memories.db"


def global_options(*, shown: tuple[str, ...], root: bool) -> list[click.Option]:
    """The global options afresh; only the root reads the environment, so that what is typed before the verb wins over it."""
    made = []
    for name, flags, metavar, text in _OPTIONS:
        made.append(
            click.Option(
                [*flags, name],
                metavar=metavar,
                is_flag=metavar is None,
                default=None,
                help=text() if callable(text) else text,
                envvar=f"CUED_{name.upper()}" if root else None,
                expose_value=False,
                hidden=name not in shown,
                callback=_note,
            )
        )
    return made


def _note(ctx: click.Context, param: click.Parameter, value: str | bool | None) -> None:  # noqa: FBT001 - click's callback
    if value is not None and value is not False:
        if value == "":
            message = "got an empty text; leave the option out for its default"
            raise click.BadParameter(message, ctx=ctx, param=param)
        ctx.meta[_META + str(param.name)] = value
        if ctx.get_parameter_source(str(param.name)) is ParameterSource.COMMANDLINE:
            ctx.meta.setdefault(_TYPED, {})[str(param.name)] = value


def _db_help() -> str:
    place, home = str(default_db()), str(Path.home())
    shown = "~" + place.removeprefix(home) if place.startswith(home + os.sep) else place
    return f"The database file, or the postgresql:// address of a database. Default: {shown}, or CUED_DB."


_OPTIONS = (
    ("db", ("--db",), "FILE|URL", _db_help),
    ("tenant", ("--tenant",), "NAME", 'Whose memories. Default for this local command: "me", or CUED_TENANT.'),
    (
        "embedder",
        ("--embedder",),
        "NAME",
        "auto, cued, minilm, hashing, hashing:DIM, openai:MODEL, sentence-transformers:NAME, or none. Default: auto, or CUED_EMBEDDER.",
    ),
    ("policy", ("--policy",), "NAME|FILE", "A preset, as `cued policy list` shows them, or a TOML file. Default: cued, or CUED_POLICY."),
    (
        "keep",
        ("--keep",),
        "off|last|sampled",
        "Keep cues and evidence of the last 500 recalls, or of one in a hundred, to replay, label and tune. Default: off, or CUED_KEEP.",
    ),
    ("journal", ("--journal",), None, "Begin a journal of the tenant's writes and erasures, which `cued check` verifies; CUED_JOURNAL=1."),
    ("json", ("--json",), None, "Print the result as JSON; CUED_JSON=1 does so always."),
    ("direct", ("--direct",), None, "Ask the database itself, though `cued serve` runs on it; CUED_DIRECT=1 does so always."),
)
