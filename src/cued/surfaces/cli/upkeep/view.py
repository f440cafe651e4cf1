"""Drawings of upkeep: which memory gives way to which, what has expired, and what could go."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from cued.model.plain import JSON
from cued.surfaces.cli.output import counted
from cued.surfaces.cli.tables import age, command, grid, number, shown, utc_now, with_facts

MOST = 50


def plan_view(answer: JSON) -> RenderableType:
    """Which memory gives way to which, what is spared or was skipped and why, and what comes next."""
    merges, parts = answer["merges"], list[RenderableType]()
    if merges:
        parts.append(_pairs("gave way" if answer["applied"] else "gives way", merges))
    for title, pairs in (("Spared, though they look alike:", answer["spared"]), ("Skipped:", answer["skipped"])):
        if pairs:
            parts += [*([Text("")] if parts else []), Text(title), _pairs("older", pairs, reasons=True)]
    return Group(*parts, _summary(answer))


def merges_view(answer: JSON) -> RenderableType:
    """The merges that stand."""
    if not answer["merges"]:
        return shown("No merges.")
    table = grid(("gave way", "fold"), ("to", "fold"), ("since", "right"))
    for merge in answer["merges"]:
        table.add_row(_text(merge, "older"), _text(merge, "newer"), age(merge["at"], utc_now()))
    return Group(table, shown("`cued consolidate --undo ID` undoes one", "dim"))


def expired_view(answer: JSON) -> RenderableType:
    """What has expired, the longest expired first."""
    rows = answer["expired"]
    if not rows:
        return shown("Nothing has expired.")
    table = grid("expired", ("memory", "fold"), "kind")
    for row in rows[:MOST]:
        table.add_row(row["expires_at"][:16].replace("T", " "), with_facts(row), row["kind"])
    return Group(
        table,
        *_more(rows),
        shown(f"{counted(len(rows), 'expired memory', 'expired memories')}; `cued sweep --apply` erases for good", "dim"),
    )


def cool_view(answer: JSON) -> RenderableType:
    """What could go, why, and the command that hides it."""
    rows = answer["memories"]
    if not rows:
        return shown("Nothing has cooled.")
    table = grid(("cool", "right"), ("memory", "fold"), ("why", "fold"), ("age", "right"))
    for row in rows[:MOST]:
        table.add_row(number(row["coolness"]), with_facts(row), shown(row["reason"]), age(row["created_at"], utc_now()))
    return Group(
        table, *_more(rows), shown(f"{counted(len(rows))} could go; this hides, and can be undone:", "dim"), command(answer["cli"])
    )


def _pairs(title: str, pairs: Sequence[JSON], *, reasons: bool = False) -> RenderableType:
    table = grid(("cosine", "right"), (title, "fold"), ("newer" if reasons else "to", "fold"), *([("why", "fold")] if reasons else []))
    for pair in pairs[:MOST]:
        why = [shown(pair["reason"])] if reasons else []
        table.add_row(number(pair["similarity"], digits=3), _text(pair, "older"), _text(pair, "newer"), *why)
    return Group(table, *_more(pairs))


def _summary(answer: JSON) -> Text:
    count = len(answer["merges"])
    looked = f"{answer['compared']} of {answer['scanned']} memories compared, from a cosine of {answer['at_least']:g} on"
    if answer["applied"]:
        done = f"{count} gave way; `cued consolidate --undo ID` brings one back" if count else "Nothing gave way"
    else:
        done = f"{count} would give way; --apply lets them, and that can be undone" if count else "Nothing would give way"
    return shown(f"{done} ({looked})", "dim", most=400)


def _text(pair: JSON, side: str) -> Text:
    return Text("\n").join([shown(pair[f"text_{side}"] or "erased"), shown(pair[side], "dim")])


def _more(rows: Sequence[JSON]) -> Iterator[Text]:
    if len(rows) > MOST:
        yield shown(f"{len(rows) - MOST} more: --json lists all", "dim")
