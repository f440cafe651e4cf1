"""Why one would leave what one has, in five lines, and how quick it is: each number is read from a table that a command measures anew."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_DATA = "locomo"
_SPEED_PAGE, _SPEED_TABLE = "docs/speed.md", "## Measured"
_SPEEDS = ("warm recall, 10,000", "bulk load, vectors given", "disk a memory")
_SILENT = 90
_SHOWN = (
    "warm recall, 10,000",
    "warm recall, 100,000 in a tenant",
    "warm recall, 100,000 over",
    "ten shown",
    "first recall of a tenant",
    "remember one",
    "bulk load with the model",
    "disk a memory",
)


def reasons() -> str:
    """The five lines, for the README."""
    found = _row(_table("docs/quality.md", "<!-- quality -->"), _DATA)
    policies = _table("docs/quality.md", f"**{_DATA}**")
    own, vector = (_row(policies, name)["recall@10"] for name in ("cued", "dense"))
    speed = _table(_SPEED_PAGE, _SPEED_TABLE)
    warm, load, disk = (_first(_row(speed, start)["measured"]) for start in _SPEEDS)
    told = (
        f"**It finds.** On LoCoMo {own} % of what answers a question is among the first ten, against {vector} % by vectors alone with the",
        "same model, which is what a vector store gives; no LLM is asked. [Every data set](docs/quality.md), by `make quality`.",
        "**It keeps silent.** A vector store returns its nearest to anything. Asked there what it cannot know, Cued returned nothing",
        f"in {found['far silence']} % of cases, and {found['precision']} % of the recalls that spoke had been asked something known.",
        "[The floor](docs/quality.md), and where it does worse, by the same command.",
        "**It says why.** The table that decided a recall is its explanation: every candidate, what each signal weighed, and",
        "the stage that let it pass or not; and of a memory that did not come, [what would have to change](docs/explain.md).",
        "A saved recall replays to the bit.",
        f"**It is quick.** {warm} ms for a recall among 10,000 memories, {load} memories a second loaded, on two cores.",
        "[All figures](docs/speed.md), and the budgets that are missed, by `make bench`.",
        f"**It is one file.** SQLite, {disk} KiB a memory with its vector, for many processes, on disk before it is acknowledged;",
        "[PostgreSQL](docs/howto/postgres.md) when you outgrow it. No server, no key, no LLM, and no download when it runs.",
    )
    return "\n".join(f"- {line}" if line.startswith("**") else f"  {line}" for line in told)


def speeds() -> str:
    """The few figures that most people ask for, for the README."""
    rows = [_row(_table(_SPEED_PAGE, _SPEED_TABLE), start) for start in _SHOWN]
    return "\n".join(["| | |", "| --- | ---: |", *(f"| {row['']} | {row['measured'].removesuffix(' ✗')} |" for row in rows)])


def in_short() -> str:
    """What the table of all data sets comes to, in three lines, for the page on quality."""
    rows = _table("docs/quality.md", "<!-- quality -->")
    ahead, answered, silent = ([float(row[head].strip("* ")) for row in rows] for head in ("ahead", "answered", "far silence"))
    names = [row[""] for row in rows]
    more, less = sum(each > 0 for each in ahead), sum(each < 0 for each in ahead)
    (least, where_least), (most, where_most) = min(zip(answered, names, strict=True)), max(zip(answered, names, strict=True))
    loud = ", ".join(f"`{name}`" for name, share in zip(names, silent, strict=True) if share < _SILENT)
    told = (
        f"Among the first ten it finds more than the best of plain vectors, plain words and their fusion in {more} of {len(rows)}",
        f"data sets, as much in {ahead.count(0.0)}, and less in {less} (by {-min(0.0, *ahead):.1f} at most).",
        f"Of what is asked and known it answers from {least:.0f} (`{where_least}`) to {most:.0f} (`{where_most}`) of 100.",
        f"Asked something foreign it is silent in {_SILENT} and more of 100 cases, but for {loud}, where what",
        "counts as foreign [often is not](#read-with-care).",
    )
    return "\n".join(f"- {line}" if line.startswith(("Among", "Of", "Asked")) else f"  {line}" for line in told)


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
