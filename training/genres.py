"""Corpora that no file holds as they are: reports with the change that they led to, facts about people in other languages, requests.

They are for stores alone (`training.stores`); the encoder has not seen them.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from training.corpora import Row, find, folder, read_lines

REQUESTS = Path(__file__).parent / "requests.tsv"
FACTS = Path(__file__).parent / "facts.tsv"
REPORTED = ("commit_subject_body", "rust_errors_lints", "lint_and_error_notes", "msvc_error_remedy")
"""Corpora whose long texts tell what a short one names: turned round, they are long cues for short notes."""
TECHNICAL = (
    "commit_subject_body", "tldr_pages", "rust_errors_lints", "msvc_error_remedy", "dart_diagnostics", "lint_and_error_notes",
    "k8s_heading_en",
)  # fmt: skip
"""Corpora of commits, commands, errors and their remedies, which answer nothing that people tell."""
MOST_REPORTS = 1500
LEAST_WORDS = 8
PEOPLE = 40
# What a report of a fault has beside the fault.
AROUND = (
    "I searched the open issues and found nothing like it.", "Steps to reproduce: see above.",
    "Expected: no error. Actual: see the output.",
    "Ubuntu 22.04, Python 3.10.4, everything else at its latest version.", "It worked two releases ago.", "Happy to send a patch.",
    "This happens on macOS as well.", 'Traceback (most recent call last): File "run.py", line 12, in <module> main()',
    "We noticed it in our nightly build.", "A minimal example is attached.", "Let me know if you need more details.",
)  # fmt: skip
NAMES_FILE = Path(__file__).parent / "people.tsv"
_CHOICE = re.compile(r"\{([^{}]*\|[^{}]*)\}")


def requests() -> tuple[list[Row], list[str]]:
    """Requests of our own writing that never name what bears on them, every leaning of their topic does; and all the leanings."""
    lines = [line.split("\t") for line in REQUESTS.read_text("utf-8").splitlines()[1:]]
    leanings: dict[str, list[str]] = {}
    for topic, kind, text in lines:
        if kind == "leaning":
            leanings.setdefault(topic, []).append(text)
    rows = [Row(text, tuple(leanings[topic]), ()) for topic, kind, text in lines if kind == "request"]
    return rows, [text for texts in leanings.values() for text in texts]


def technical() -> dict[str, None]:
    """The answers of the technical corpora, each once."""
    return dict.fromkeys(pair["pos"][0] for name in TECHNICAL for pair in read_lines(find(name, folder())) if pair["pos"][0].strip())


def reports(rng: Random) -> Iterator[tuple[str, list[Row]]]:
    """For each corpus of `REPORTED` its long texts as cues, half of them with what stands around a report, for its short ones."""
    for name in REPORTED:
        pairs = [pair for pair in read_lines(find(name, folder())) if len(pair["pos"][0].split()) >= LEAST_WORDS]
        rng.shuffle(pairs)
        short = {text: pair["q"] for pair in pairs for text in pair["pos"]}
        rows = []
        for pair in pairs[:MOST_REPORTS]:
            others = tuple(dict.fromkeys(short[text] for text in pair.get("neg", ()) if text in short and short[text] != pair["q"]))
            around = rng.sample(AROUND, rng.choice((0, 0, 2, 4)))
            rows.append(Row(" ".join([pair["pos"][0], *around]), (pair["q"],), others[:6]))
        yield f"reports_{name}", rows


def facts(rng: Random) -> Iterator[tuple[str, str, list[Row]]]:
    """For each language of `people.tsv` the facts about some people, with their questions, under a name of the corpus."""
    lines = [line.split("\t") for line in FACTS.read_text("utf-8").splitlines()[1:]]
    for language, between, first, second in (line.split("\t") for line in NAMES_FILE.read_text("utf-8").splitlines()[1:]):
        templates = [(statement, question) for spoken, statement, question in lines if spoken == language]
        people = rng.sample([one + " " * (between == "space") + other for one in first.split() for other in second.split()], PEOPLE)
        told = {(name, place): _told(statement, name, rng) for name in people for place, (statement, _) in enumerate(templates)}
        rows = []
        for (name, place), statement in told.items():
            same = [told[name, other] for other in rng.sample(range(len(templates)), 3) if other != place]
            alike = [told[other, place] for other in rng.sample(people, 3) if other != name]
            rows.append(Row(templates[place][1].replace("{N}", name), (statement,), (*same, *alike)))
        yield f"facts_{language}", language, rows


def _told(statement: str, name: str, rng: Random) -> str:
    return _CHOICE.sub(lambda found: rng.choice(found[1].split("|")), statement).replace("{N}", name)
