"""A conversation's handle: it recalls like a tenant does, and notices when the recalls stop following what is said."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, Unpack

from msgspec.structs import replace

from cued.flow.drift import Turn, digest, drift
from cued.forking import OwnLock
from cued.model import Cue, Recall
from cued.policy.spec import Policy
from cued.requests.checks import whole
from cued.requests.keywords import RecallOptions

_FEWEST = 2
_MOST = 100
_STATE = ("goal", "step", "open_questions")


class Conversation:
    """The recalls of one conversation. It holds digests and ids of the last hundred turns at most, and no text."""

    def __init__(
        self, recall: Callable[..., Recall], *, name: str = "", turns: int = 3, keep: int = 10, avoid_repeats: bool = False
    ) -> None:
        """Recall through `recall(cue, **options)`, and report drift after this many turns.

        The log has a digest of the `name` with each of its recalls.
        With `avoid_repeats` a memory is not brought again within `keep` turns, since it is still in the prompt.
        """
        self._turns, self._keep = whole("turns", turns, least=_FEWEST, most=_MOST), whole("keep", keep, least=1, most=_MOST)
        self._recall, self._name, self._avoid_repeats = recall, name, avoid_repeats
        self._history: deque[Turn] = deque(maxlen=_MOST)
        self._state = digest()
        self._lock = OwnLock()

    def heard(self, text: str) -> None:
        """Take note of what happened between recalls: a user's turn, a tool's result; a cue that stays the same is stale from then on."""
        with self._lock:
            self._state = digest(self._state, text)

    def recall(
        self, cue: str | Cue, *, policy: str | Policy | None = None, settle: bool = True, **options: Unpack[RecallOptions]
    ) -> Recall:
        """What the cue brings to mind; `drift` in it says when the cue, or what it brings, has stopped moving."""
        with self._lock:
            state, recent = self._state, tuple(islice(reversed(self._history), self._keep))
        if self._avoid_repeats:
            options["present"] = _present(cue, options, recent)
        if self._name:
            options.setdefault("conversation", self._name)
        recalled = self._recall(cue, policy=policy, settle=settle, **options)
        turn = Turn(cue=_cue_digest(cue, options), state=state, chosen=tuple(r.memory.id for r in recalled.memories))
        with self._lock:
            self._history.append(turn)
            said = drift(self._history, turns=self._turns)
        return replace(recalled, drift=said)


def _present(cue: str | Cue, options: Mapping[str, Any], recent: Iterable[Turn]) -> tuple[str, ...]:
    """The ids that are already in the prompt: those the caller names, and those recalled in recent turns."""
    named = options.get("present")
    if named is None:
        named = cue.present if isinstance(cue, Cue) else ()
    brought = (memory_id for turn in recent for memory_id in turn.chosen)
    return tuple(dict.fromkeys([*((named,) if isinstance(named, str) else named), *brought]))


def _cue_digest(cue: str | Cue, options: Mapping[str, Any]) -> str:
    """The digest of what was asked: utterance, goal, step and open questions, wherever each was said."""
    said = {name: getattr(cue, name) for name in _STATE} if isinstance(cue, Cue) else {}
    said |= {name: options[name] for name in _STATE if options.get(name) is not None}
    questions = said.get("open_questions") or ()
    asked = (questions,) if isinstance(questions, str) else tuple(map(str, questions))
    return digest(cue.utterance if isinstance(cue, Cue) else cue, said.get("goal") or "", said.get("step") or "", asked)
