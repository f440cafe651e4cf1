"""A recall drawn: what came back, or why nothing did."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from cued.surfaces.cli.tables import age, bar, facts, grid, shown

JSON = Mapping[str, Any]
_OMITTED_SHOWN = 3

_GATES = {
    "forgotten": "forgotten",
    "scope": "in another scope",
    "as_of": "written later",
    "expiry": "expired",
    "validity": "not valid then",
    "supersession": "superseded",
    "provenance": "derived from what no longer holds",
    "kinds": "of another kind",
    "tags": "without the tags",
}


def recall_view(recall: JSON, *, now: datetime, brief: bool = False, aside: bool = True) -> RenderableType:
    """The memories that came back, or one line that says why none did; then what was held back."""
    answer = _chosen(recall, now=now, brief=brief) if recall["memories"] else empty_line(recall)
    return Group(*_core(recall), answer, *(asides(recall) if aside else ()))


def empty_line(recall: JSON) -> Text:
    """The reason for an empty recall, with the best near miss."""
    said = {
        "nothing_stored": "Nothing is stored yet for this tenant.",
        "all_gated": "Nothing to search: a gate struck every stored memory.",
        "nothing_matched": "Nothing matched: no channel found anything for this cue.",
        "below_floor": "Nothing relevant.",
        "omitted": "Nothing fits: what is relevant is over the budget, or already in the prompt.",
    }[recall["outcome"]]
    line = Text(said, style="yellow")
    if recall["near_misses"] and recall["outcome"] != "omitted":
        best = recall["near_misses"][0]
        line.append(f" The best was {best['fate']}: ", style="")
        line.append_text(shown(best["text"], "dim", most=120))
    return line


def asides(recall: JSON) -> Iterator[Text]:
    """A line each for what was omitted, held back by gates, or could not be done."""
    if recall["drift"]:
        yield shown(f"Drift: {recall['drift']}", "yellow", most=400)
    if recall["compacted"]:
        yield shown("Compacted: not all of it fits, so the block has it shortened", "yellow")
    yield from left_out(recall)
    if recall["suppressed"]:
        yield shown("Held back: " + ", ".join(f"{n} {_GATES[gate]}" for gate, n in recall["suppressed"].items()), "dim")
    for reason in recall["degraded"]:
        yield shown(f"Degraded: {reason}", "yellow")


def left_out(answer: JSON) -> Iterator[Text]:
    """A line for what was omitted and why, if anything was."""
    told = [f"{each['id']} ({each['reason']})" for each in answer["omitted"][:_OMITTED_SHOWN]]
    more = len(answer["omitted"]) - len(told)
    if told:
        yield shown(f"Left out: {'; '.join(told)}{f' and {more} more' if more else ''}", "dim", most=400)


def _core(recall: JSON) -> Iterator[Text]:
    """The pinned memories, a line each."""
    for row in recall["core"]:
        yield Text.assemble(("core  ", "bold"), shown(row["text"]), shown(f"  {row['id']}", "dim"))


def _chosen(recall: JSON, *, now: datetime, brief: bool) -> RenderableType:
    table = grid(("#", "right"), "relevance", ("memory", "fold"), "kind", ("age", "right"))
    table.show_header = not brief
    for row in recall["memories"]:
        text = shown(row["text"])
        if not brief:
            text = Text("\n").join([text, shown(facts(row), "dim")])
        table.add_row(str(row["rank"]), bar(row["relevance"]), text, row["kind"], age(row["created_at"], now))
    return table
