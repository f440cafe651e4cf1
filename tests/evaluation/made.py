"""A made-up data set: two people, a few sessions each, and questions whose answers are known."""

import json

MEMORIES = [
    ("ada", "a-s1", "Ada", "My violin teacher is called Bertram.", "2025-01-03T10:00:00"),
    ("ada", "a-s1", "Bot", "How often do you practise?", "2025-01-03T10:00:01"),
    ("ada", "a-s1", "Ada", "Twice a week, in the garage.", "2025-01-03T10:00:02"),
    ("ada", "a-s2", "Ada", "We moved to Lisbon because of the harbour.", "2025-02-11T09:00:00"),
    ("ada", "a-s2", "Bot", "Lisbon is lovely in spring.", "2025-02-11T09:00:01"),
    ("ada", "a-s3", "Ada", "Bertram gave me a new bow.", "2025-03-01T18:00:00"),
    ("cem", "c-s1", "Cem", "The kiln cracked again while glazing.", "2025-01-20T12:00:00"),
    ("cem", "c-s1", "Bot", "Was the glaze too thick?", "2025-01-20T12:00:01"),
    ("cem", "c-s2", "Cem", "I am allergic to walnuts.", "2025-02-02T12:00:00"),
    ("cem", "c-s2", "Cem", "Pottery class is on Thursday.", "2025-02-02T12:00:01"),
]
QUERIES = [
    ("q1", "ada", "What is the name of the violin teacher?", "person", ["m0"]),
    ("q2", "ada", "What did Bertram give?", "person", ["m5", "m0"]),
    ("q3", "ada", "Why Lisbon?", "place", ["m3"]),
    ("q4", "ada", "Which dentist does Ada see?", "abstention", []),
    ("q5", "cem", "What cracked while glazing?", "event", ["m6"]),
    ("q6", "cem", "Is anyone allergic to walnuts?", "person", ["m8"]),
]


def lines():
    """Give the two files' rows as dictionaries."""
    memories = [
        {"id": f"m{n}", "tenant": tenant, "session": session, "turn": n, "speaker": speaker, "text": text, "ts": ts}
        for n, (tenant, session, speaker, text, ts) in enumerate(MEMORIES)
    ]
    session = {row["id"]: row["session"] for row in memories}
    queries = [
        {
            "id": name,
            "tenant": tenant,
            "query": text,
            "asked_at": "2025-04-01T08:00:00",
            "category": category,
            "gold_ids": gold,
            "gold_sessions": sorted({session[each] for each in gold}),
        }
        for name, tenant, text, category, gold in QUERIES
    ]
    return memories, queries


def write(folder, memories=None, queries=None):
    """Write a data set into the folder and give it back."""
    usual = lines()
    for name, rows in (("memories", memories), ("queries", queries)):
        given = rows if rows is not None else usual[name == "queries"]
        (folder / f"{name}.jsonl").write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in given), "utf-8")
    return folder
