"""A personal assistant over an imported ChatGPT history: years of conversations become memories that answer.

It runs without a key, on a small export that it writes itself. With your own export, name its folder:

    python examples/personal_assistant.py ~/Downloads/chatgpt-export
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import cued

HISTORY = {
    "Trip to Lisbon": (
        "2024-04-02",
        ("I booked the hotel Santa Justa in Lisbon for the first week of June.", "Lovely. Shall I plan the days?"),
    ),
    "Sourdough": ("2024-11-17", ("My starter is called Gustav and I feed it rye flour every Saturday.", "Good care makes good bread.")),
    "New job": ("2025-09-01", ("I started at the observatory today, my desk is in the dome.", "Congratulations on the observatory!")),
}


def written_export(folder: Path) -> Path:
    """A folder as ChatGPT exports it, with three conversations in it."""
    folder.mkdir(exist_ok=True)
    conversations = [_conversation(title, day, lines) for title, (day, lines) in HISTORY.items()]
    (folder / "conversations.json").write_text(json.dumps(conversations), "utf-8")
    return folder


def _conversation(title: str, day: str, lines: tuple[str, ...]) -> dict:
    at = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    nodes = {"root": {"id": "root", "parent": None, "children": ["0"], "message": None}}
    for number, line in enumerate(lines):
        author = {"role": "assistant" if number % 2 else "user"}
        message = {"id": f"{number}", "author": author, "create_time": at + number, "content": {"content_type": "text", "parts": [line]}}
        parent, children = "root" if number == 0 else f"{number - 1}", [f"{number + 1}"] if number + 1 < len(lines) else []
        nodes[f"{number}"] = {"id": f"{number}", "parent": parent, "children": children, "message": message}
    return {"id": title, "title": title, "create_time": at, "update_time": at, "current_node": f"{len(lines) - 1}", "mapping": nodes}


def answer(tenant: cued.Tenant, question: str) -> str:
    """What the history says to a question; a model would write it from the block."""
    recall = tenant.recall(question, limit=2)
    return "\n".join(f"  {each.created_at:%d %B %Y}: {each.text}" for each in recall) or "  Nothing in your history is about that."


def main(arguments: list[str]) -> None:
    """Import a history, once however often it is run, and ask it."""
    folder = Path(arguments[0]) if arguments else written_export(Path("chatgpt-export"))
    with cued.open("assistant.db") as memories:
        me = memories.tenant("me")
        imported = me.import_file(folder / "conversations.json")
        print(f"{imported.stored} new memories, {imported.known} known already")
        for question in ("Which hotel did I book in Lisbon?", "What is the name of my sourdough starter?", "What is the capital of Peru?"):
            print(question)
            print(answer(me, question))


if __name__ == "__main__":
    main(sys.argv[1:])
