"""`cued hook`: the answer to an event of Claude Code. A failure never stops the agent: the exit code is 0, and it is logged."""

import contextlib
import sys
import time
from contextlib import ExitStack
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from cued.errors import CuedError, InputError
from cued.model.plain import JSON
from cued.surfaces.cli.commands import Command, Settings, settings
from cued.surfaces.cli.opening import from_server, make_folder, opened, prepare
from cued.surfaces.cli.output import safe, write
from cued.surfaces.hooks import journal, session
from cued.surfaces.hooks.answering import ANSWERS, Answering
from cued.surfaces.hooks.gate import GATE, WANTED, EventContext, HookAnswer, HookEvent, gate
from cued.surfaces.project import project_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from cued.handles.memories import Memories

_OPEN = {"ignore_unknown_options": True, "allow_extra_args": True}


@click.command(name="hook", cls=Command, globals_shown=("db", "tenant", "embedder", "policy", "direct"), context_settings=_OPEN)
@click.argument("event", metavar="EVENT", default="")
@click.option("--scope", metavar="NAME", help="The project's scope. Without it: from its .cued.toml, or the name of its repository.")
@click.option("--start-server", is_flag=True, help="Where no server runs on the store, start one for the next hooks; it ends by itself.")
def hook_command(event: str, scope: str | None, *, start_server: bool) -> None:
    """Answer a hook of Claude Code: EVENT is session-start, user-prompt, pre-tool-use, pre-compact or stop, and stdin has its JSON.

    It never fails: whatever goes wrong is a line in the log and on stderr, and the agent goes on without. `cued connect claude-code
    --hook recall` sets it up.
    """
    began = time.perf_counter()
    try:
        said = _answered(event, scope, start=start_server)
        outcome = said.outcome
        if said.answer is not None:
            write(msgspec.json.encode(said.answer) + b"\n")
    except Exception as error:  # noqa: BLE001 - a hook that fails must stop nobody, whatever it is
        outcome = f"failed: {type(error).__name__}{_loggable(error)}"
        # Who calls the hook by hand sees it; Claude Code goes on, for the exit code is 0.
        with contextlib.suppress(OSError):
            click.echo(safe(f"cued hook: {outcome}"), err=True)
    with contextlib.suppress(OSError):
        journal.write(safe(event), safe(outcome), ms=(time.perf_counter() - began) * 1000)


def _loggable(error: Exception) -> str:
    """What the log may say of a failure: nothing that could quote what the user or the agent said."""
    if isinstance(error, InputError):
        return f": {error.field}; accepted: {error.accepted}"
    return f": {error}" if isinstance(error, CuedError | OSError | msgspec.MsgspecError) else ""


def _answered(event: str, scope: str | None, *, start: bool) -> HookAnswer:
    if event not in WANTED:
        raise InputError("event", event, f"one of {', '.join(WANTED)}")
    told = msgspec.json.decode(sys.stdin.buffer.read() or b"{}", type=HookEvent)
    project = project_at(Path(told.cwd or "."), scope=scope)
    context = EventContext(event=told, scope=project.scope, session=session.load(told.session_id))
    if not getattr(project.hooks, WANTED[event]):
        return HookAnswer(session=context.session, outcome="off")
    said = gate(context) if event == GATE else _from_the_store(event, context, project.policy, start=start)
    if said.session != context.session:
        try:
            session.save(told.session_id, said.session)
        except OSError:  # what is not kept costs a repetition; but the gate, which has to ask once, would ask for ever
            if event == GATE:
                raise
    return said


def _from_the_store(event: str, context: EventContext, policy: str | None, *, start: bool) -> HookAnswer:
    chosen, answering = settings(), ANSWERS[event]
    chosen.policy = chosen.policy or policy
    if not answering.stores and not chosen.db.exists():
        return HookAnswer(session=context.session, outcome="nothing is stored yet")
    with ExitStack() as stack:
        store = cache(lambda: stack.enter_context(_opened(chosen, answering)))
        said = answering.answer(partial(_answer_of, chosen, store), context)
    if start and store.cache_info().misses:
        from cued.surfaces.cli.agents.launching import start_server  # noqa: PLC0415 - once in a while

        start_server(settings())
    return said


def _answer_of(chosen: Settings, opened: "Callable[[], Memories]", verb: str, body: JSON) -> JSON:
    """The answer of the server that runs on the store, or else of the store itself, which is opened once."""
    answer = from_server(chosen, verb, body)
    if answer is not None:
        return answer
    memories = opened()
    from cued.surfaces.verbs import call  # noqa: PLC0415 - loads the engine

    return call(verb, memories.tenant(chosen.tenant), body)


def _opened(chosen: Settings, answering: Answering) -> "Memories":
    if answering.stores:
        make_folder(chosen)
    prepare(chosen, embed=answering.embeds)
    return opened(chosen, embed=answering.embeds, readonly=not answering.embeds)
