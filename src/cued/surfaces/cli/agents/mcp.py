"""`cued mcp`: an agent's tools over stdio."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import click

from cued.model import TRUSTS, Trust
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import make_folder, opened
from cued.surfaces.cli.output import note
from cued.surfaces.project import Project, project_at


@click.command(name="mcp", cls=Command, globals_shown=("db", "tenant", "embedder", "policy"))
@click.option("--scope", metavar="NAME", help="The project's scope. Without it: from its .cued.toml, or the name of its repository.")
@click.option("--project", "folder", metavar="DIR", default=".", help="The project's folder. Without it: the working directory.")
@click.option("--trust", type=click.Choice(TRUSTS), default="agent", help="How far what is stored is trusted at most. Default: agent.")
@click.option("--search-fetch", is_flag=True, help="Also offer the tools `search` and `fetch`, which some clients ask for.")
def mcp_command(scope: str | None, folder: str, *, trust: Trust, search_fetch: bool) -> None:
    """Serve an agent's tools over the Model Context Protocol, on stdin and stdout, until the client leaves.

    Needs `pip install "cued[mcp]"`. `cued connect` writes a client's configuration that starts this command.
    """
    try:
        from cued.surfaces.mcp.server import ToolCaller, run_stdio, serve  # noqa: PLC0415 - a second's import, for this command alone
    except ModuleNotFoundError as error:
        raise click.ClickException(f'{error.name} is not installed; accepted: pip install "cued[mcp]"') from error
    chosen, project = settings(), _project(folder, scope)
    chosen.policy = chosen.policy or project.policy
    make_folder(chosen)
    with opened(chosen, embed=True, settle="background") as memories:
        caller = ToolCaller(tenant=memories.tenant(chosen.tenant, trust=trust), scope=project.scope)
        if sys.stdin.isatty():
            note("this is for an agent's client, which starts it itself: `cued connect` sets that up; Ctrl-C ends it")
        with _ended_by_signals(memories.close):
            run_stdio(serve(lambda _context: caller, search_and_fetch=search_fetch))


@contextmanager
def _ended_by_signals(close: Callable[[], None]) -> Iterator[None]:
    """Let SIGINT or SIGTERM end this process once `close` has written what is left; a second signal ends it at once."""

    def ended(which: int, _frame: FrameType | None) -> None:
        signal.signal(which, signal.SIG_DFL)
        close()
        # not by an exception: the thread that waits for the client's next line cannot be told to stop, and would be waited for
        os._exit(128 + which)

    ours = [each for each in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(each) is not signal.SIG_IGN]
    before = {each: signal.signal(each, ended) for each in ours}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _project(folder: str, scope: str | None) -> Project:
    """The project of a folder; a variable that the client did not fill in stands for the working directory."""
    path = Path(folder)
    if not path.is_dir():
        note(f"{folder!r} is no folder; the project is that of the working directory")
        path = Path()
    return project_at(path, scope=scope)
