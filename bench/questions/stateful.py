"""What an agent's state does to a recall: direct questions and small talk with a state that distracts, and what a helpful state adds.

    PYTHONPATH=src python -m bench.questions.stateful [--quiet]

The notes, questions and states are stateful.toml, of our own writing; no model was fitted on them.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import cued

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
State = dict[str, Any]


class Asked(NamedTuple):
    """An utterance with the state that it was said in, and whether what came was right."""

    utterance: str
    state: State
    right: bool


def shown(memories: cued.Tenant, utterance: str, state: State) -> list[str]:
    """The texts that an utterance with a state is answered by."""
    return [each.memory.text for each in memories.recall(utterance, **state, settle=False).memories]


def answered(memories: cued.Tenant, states: list[State]) -> list[Asked]:
    """The direct questions in each of the states."""
    asked = [(question, state, DATA["notes"][number - 1]) for state in states for question, number in DATA["direct"]]
    return [Asked(question, state, note in shown(memories, question, state)) for question, state, note in asked]


def silent(memories: cued.Tenant, states: list[State]) -> list[Asked]:
    """The small talk in each of the states."""
    return [Asked(said, state, not shown(memories, said, state)) for state in states for said in DATA["small_talk"]]


def helped(memories: cued.Tenant, *, by_state: bool) -> list[Asked]:
    """The utterances that say too little, with the state that says the rest, or without."""
    asked = [(said, state, DATA["notes"][number - 1]) for said, state, number in DATA["helped"]]
    return [Asked(said, state, note in shown(memories, said, state if by_state else {})) for said, state, note in asked]


def main(*, quiet: bool) -> None:
    """Store the notes, ask everything, and print what went wrong and the sums."""
    memories, distracting = cued.open().tenant("bench"), DATA["distracting"]
    memories.remember_many(DATA["notes"])
    parts = {
        "direct questions answered": answered(memories, [{}]),
        "direct questions answered, distracted": answered(memories, distracting),
        "small talk met by silence": silent(memories, [{}]),
        "small talk met by silence, distracted": silent(memories, distracting),
        "too short an utterance answered": helped(memories, by_state=False),
        "too short an utterance answered, with its state": helped(memories, by_state=True),
    }
    for name, rows in parts.items():
        print("\n".join(f"   {each.utterance} {each.state}" for each in rows if not each.right and not quiet))
        print(f"{name}: {sum(each.right for each in rows)} of {len(rows)}")


if __name__ == "__main__":
    main(quiet="--quiet" in sys.argv)
