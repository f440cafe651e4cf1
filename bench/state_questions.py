"""What an agent's state does to a recall: direct questions and small talk with a state that distracts, and what a helpful state adds.

    PYTHONPATH=src python -m bench.state_questions [--quiet]

The notes, questions and states are state_questions.toml, of our own writing; no model was fitted on them.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any

import cued

DATA: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def shown(memories: cued.Tenant, question: str, state: dict[str, Any]) -> list[str]:
    """The texts that a question with a state is answered by."""
    return [each.memory.text for each in memories.recall(question, **state, settle=False).memories]


def sums(memories: cued.Tenant, *, quiet: bool) -> dict[str, str]:
    """What came of each part, as how many of how many; the questions that were lost are printed on the way."""
    notes, found = DATA["notes"], dict[str, str]()
    for name, states in (("alone", [{}]), ("distracted", DATA["distracting"])):
        asked = [(question, state, notes[number - 1] in shown(memories, question, state)) for state in states for question, number in DATA["direct"]]
        talked = [(said, state, not shown(memories, said, state)) for state in states for said in DATA["small_talk"]]
        for kind, rows in (("answered", asked), ("small talk silent", talked)):
            found[f"{kind}, {name}"] = f"{sum(good for *_, good in rows)} of {len(rows)}"
            print("\n".join(f"{name}, not {kind}: {said} {state}" for said, state, good in rows if not good and not quiet))
    for name, helping in (("without", False), ("with", True)):
        rows = [(said, state, notes[number - 1] in shown(memories, said, state if helping else {})) for said, state, number in DATA["helped"]]
        found[f"too short an utterance, {name} its state"] = f"{sum(good for *_, good in rows)} of {len(rows)}"
        print("\n".join(f"not helped: {said} {state}" for said, state, good in rows if helping and not good and not quiet))
    return found


def main() -> None:
    """Store the notes, ask everything and print the sums."""
    memories = cued.open().tenant("bench")
    memories.remember_many(DATA["notes"])
    print("\n".join(f"{name}: {count}" for name, count in sums(memories, quiet="--quiet" in sys.argv).items()))


if __name__ == "__main__":
    main()
