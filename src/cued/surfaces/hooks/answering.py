"""The answer to each event: the JSON that Claude Code reads, or nothing. No engine is imported for it."""

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from cued.model.plain import JSON
from cued.requests.listing import MAX_PAGE
from cued.surfaces.hooks.gate import EventContext, HookAnswer
from cued.surfaces.hooks.session import Session
from cued.surfaces.hooks.transcript import turns_in

Ask = Callable[[str, JSON], JSON]
"""A verb's answer to a request, wherever it comes from."""
BUDGET_TOKENS = 1000
"""How many tokens of memories a prompt gets at most."""
_COMMAND = re.compile(r"/[\w:-]+(\s|$)")
"""A command of the client's own, such as `/clear`; a path is not one."""
PROMPT_READ = 4000
"""How many characters of a prompt are its cue: half from its beginning, half from its end, where people say what they want."""


def session_start(ask: Ask, context: EventContext) -> HookAnswer:
    """The block that a session starts with; it is given again after a compaction, which has dropped the first."""
    pack = ask("bootstrap", {"scope": context.scope})
    shown = tuple(each["id"] for each in (*pack["core"], *pack["memories"]))
    answer = _context("SessionStart", pack["block"]) if pack["block"] else None
    return HookAnswer(session=Session().seen(shown), outcome=f"{len(shown)} memories", answer=answer)


def user_prompt(ask: Ask, context: EventContext) -> HookAnswer:
    """The block that a prompt brings to mind, nothing where nothing is relevant; what the session has seen is not repeated."""
    prompt = _ends(context.event.prompt.strip())
    if not prompt or _COMMAND.match(prompt):
        return HookAnswer(session=context.session, outcome="no prompt")
    asked = {"text": prompt, "scope": context.scope, "present": context.session.shown, "budget_tokens": BUDGET_TOKENS}
    recall = ask("recall", asked | ({"conversation": context.event.session_id[:200]} if context.event.session_id else {}))
    shown = tuple(each["id"] for each in recall["memories"])
    answer = _context("UserPromptSubmit", recall["block"]) if shown else None
    return HookAnswer(session=context.session.seen(shown).after_recall(), outcome=f"{recall['outcome']} {len(shown)}", answer=answer)


def _ends(prompt: str) -> str:
    half = PROMPT_READ // 2
    return prompt if len(prompt) <= PROMPT_READ else f"{prompt[:half]}\n{prompt[-half:]}"


def stop(ask: Ask, context: EventContext) -> HookAnswer:
    """Nothing; the turns of the session that are not stored yet are stored."""
    if not context.event.session_id:
        return HookAnswer(session=context.session, outcome="no session")
    known = _known_turns(ask, context.event.session_id)
    turns = turns_in(context.event.transcript_path)[known:]
    if turns:
        ask("remember_turns", {"turns": turns, "session": context.event.session_id, "scope": context.scope, "first": known + 1})
    return HookAnswer(session=context.session, outcome=f"{len(turns)} turns stored")


def _known_turns(ask: Ask, session: str) -> int:
    """The number of the last turn of a session that is stored; turns of one moment may be listed in any order."""
    asked = {"session": session, "hidden": True}
    newest = ask("list", {**asked, "limit": 1})["memories"]
    tied = ask("list", {**asked, "since": newest[0]["created_at"], "limit": MAX_PAGE})["memories"] if newest else ()
    return max((each["turn"] or 0 for each in tied), default=0)


def _context(event: str, block: str) -> JSON:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": block}}


class Answering(Struct, frozen=True, kw_only=True):
    """What answers an event from the store, and how the store must be open for it."""

    answer: Callable[[Ask, EventContext], HookAnswer]
    embeds: bool = False
    stores: bool = False


ANSWERS: Final[Mapping[str, Answering]] = MappingProxyType(
    {
        "session-start": Answering(answer=session_start),
        "user-prompt": Answering(answer=user_prompt, embeds=True),
        "pre-compact": Answering(answer=stop, embeds=True, stores=True),
        "stop": Answering(answer=stop, embeds=True, stores=True),
    }
)
