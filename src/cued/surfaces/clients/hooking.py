"""Cued's hooks in the settings of Claude Code: which event runs which command, put beside the user's own hooks and taken out again."""

import copy
import re
import shlex
from collections.abc import Sequence
from typing import Any, Final

KINDS: Final = {
    "recall": {"SessionStart": "session-start", "UserPromptSubmit": "user-prompt"},
    "turns": {"PreCompact": "pre-compact", "Stop": "stop"},
    "gate": {"PreToolUse": "pre-tool-use"},
}
"""The kinds of hooks, each with its events and the arguments of `cued hook` for them."""
SECONDS: Final = 10
"""After how many seconds Claude Code gives up on a hook."""
_US: Final = r"""(?:^|[\s/\\'"])cued(?:\.exe|\.surfaces\.cli)?['"]?\s(?:.*\s)?hook {word}(?![\w-])"""
"""A command that runs `cued hook WORD` from any folder; not one whose name is merely alike ("mycued", "hook stop-sign")."""


def hooked(settings: dict[str, Any], kinds: Sequence[str], launcher: Sequence[str], options: Sequence[str]) -> dict[str, Any]:
    """The settings with our hooks of these kinds in them, and no others of ours: `LAUNCHER hook EVENT OPTIONS`.

    A ValueError where something else stands in the place of hooks.
    """
    made = unhooked(settings)
    hooks = made.setdefault("hooks", {})
    if not isinstance(hooks, dict):
        raise ValueError("hooks is no object")  # noqa: TRY004 - what is wrong is a file's contents
    for event, word in (pair for kind in kinds for pair in KINDS[kind].items()):
        run = {"type": "command", "command": shlex.join([*launcher, "hook", word, *options]), "timeout": SECONDS}
        groups = hooks.setdefault(event, [])
        if not isinstance(groups, list):
            raise ValueError(f"hooks.{event} is no list")  # noqa: TRY004
        groups.append({"hooks": [run]})
    return made


def unhooked(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings without our hooks; an event or a table that is left empty goes too."""
    made = copy.deepcopy(settings)
    hooks = made.get("hooks")
    if not isinstance(hooks, dict):
        return made
    for event, word in (pair for events in KINDS.values() for pair in events.items()):
        groups = hooks.get(event)
        if isinstance(groups, list):
            hooks[event] = [group for group in groups if not _is_ours(group, word)]
            if groups and not hooks[event]:
                hooks.pop(event)
    if settings["hooks"] and not hooks:
        made.pop("hooks")
    return made


def _is_ours(group: Any, word: str) -> bool:  # noqa: ANN401 - whatever stands in a user's file
    runs = group.get("hooks") if isinstance(group, dict) else None
    return bool(runs) and isinstance(runs, list) and all(_runs_us(run, word) for run in runs)


def _runs_us(run: Any, word: str) -> bool:  # noqa: ANN401 - whatever stands in a user's file
    command = run.get("command") if isinstance(run, dict) else None
    return isinstance(command, str) and re.search(_US.format(word=word), command) is not None
