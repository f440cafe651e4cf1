"""Why one would leave what one has, in five lines: each number is read from a table that a command measures anew."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_DATA = "locomo"
_SPEEDS = ("warm recall, 10,000", "bulk load, vectors given", "disk a memory")


def reasons() -> str:
    """The five lines, for the README."""
    found = _row(_table("docs/quality.md", "<!-- quality -->"), _DATA)
    policies = _table("docs/quality.md", f"**{_DATA}**")
    own, vector = (_row(policies, name)["recall@10"] for name in ("cued", "dense"))
    speed = _table("README.md", "Speed, by `make bench`")
    warm, load, disk = (_first(_row(speed, start)["measured"]) for start in _SPEEDS)
    told = (
        f"**It finds.** On LoCoMo {own} % of what answers a question is among the first ten, against {vector} % by vectors alone with the",
        "same model, which is what a vector store gives; no LLM is asked. [Every data set](docs/quality.md), by `make quality`.",
        "**It keeps silent.** A vector store returns its nearest to anything. Asked what it cannot know, Cued returned nothing in",
        f"{found['far silence']} % of cases, and {found['precision']} % of the recalls that spoke had been asked something known.",
        "[The floor](docs/quality.md), by the same command.",
        "**It says why.** The table that decided a recall is its explanation: every candidate, what each signal weighed, and",
        "the stage that let it pass or not; and of a memory that did not come, [what would have to change](docs/explain.md).",
        "A saved recall replays to the bit.",
        f"**It is quick.** {warm} ms for a recall among 10,000 memories, {load} memories a second loaded, on two cores.",
        "[All figures](#measured), and the budgets that are missed, by `make bench`.",
        f"**It is one file.** SQLite, {disk} KiB a memory with its vector, for many processes, on disk before it is acknowledged;",
        "[PostgreSQL](docs/howto/postgres.md) when you outgrow it. No server, no key, no LLM, and no download when it runs.",
    )
    return "\n".join(f"- {line}" if line.startswith("**") else f"  {line}" for line in told)


def _table(page: str, after: str) -> list[dict[str, str]]:
    """The rows of the first table after this text, each by its heads."""
    rest = (ROOT / page).read_text("utf-8").partition(after)[2]
    lines = re.search(r"(?:^\|.*\|\n)+", rest, re.MULTILINE)
    if lines is None:
        raise SystemExit(f"{page}: no table after {after!r}")
    heads, _, *rows = ([cell.strip(" *") for cell in line.strip()[1:-1].split("|")] for line in lines[0].splitlines())
    return [dict(zip(["", *heads[1:]], row, strict=True)) for row in rows]


def _row(table: list[dict[str, str]], start: str) -> dict[str, str]:
    return next(row for row in table if row[""].startswith(start))


def _first(cell: str) -> str:
    """The first number in a cell."""
    return str(re.findall(r"[\d.,]+", cell)[0])
