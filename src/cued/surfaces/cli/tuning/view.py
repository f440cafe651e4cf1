"""Drawings of policies and of many recalls: a diagnosis, a replay, the result of tuning, and policies side by side."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cued.model.plain import JSON
from cued.surfaces.cli.output import counted
from cued.surfaces.cli.tables import command, grid, number, sheet, shown

_MARKS = {"pass": ("✓", "green"), "warn": ("!", "yellow"), "fail": ("✗", "red"), "unknown": ("?", "dim")}
_TOLD_AT = 14
"""The column at which a finding begins, and below it the command that mends it."""


def diagnosis_view(answer: JSON) -> RenderableType:
    """Every line with its mark, its figure and what mends it."""
    parts: list[RenderableType] = []
    for title, lines in (("The production checklist", answer["checklist"]), ("Beside it", answer["beside"])):
        parts.append(shown(title, "bold"))
        for line in lines:
            parts.append(_examined(line))
            if line["mend"]:
                parts.append(Text.assemble(" " * _TOLD_AT, command(line["mend"])))
        parts.append(Text(""))
    if answer["missing"]:
        parts.append(shown(f"{answer['missing']} more recalls are needed before traffic says anything.", "dim"))
    return Group(*parts)


def _examined(line: JSON) -> RenderableType:
    """One line; what does not fit beside its name goes on below itself."""
    mark, style = _MARKS[line["verdict"]]
    row = Table.grid()
    row.add_column(width=_TOLD_AT)
    row.add_column()
    row.add_row(Text.assemble((f"{mark} ", style), line["name"]), shown(f"{line['figure']}: {line['told']}", most=400))
    return row


def replay_view(answer: JSON, *, one: bool) -> RenderableType:
    """What changed over all kept recalls, or every place of a single one."""
    parts: list[RenderableType] = []
    if one:
        (change,) = answer["changed"]
        table = grid(("then", "right"), (answer["policy"], "right"), ("rel", "right"), ("memory", "fold"))
        for place in change["places"]:
            table.add_row(
                _rank(place["before"]), _rank(place["after"]), number(place["relevance"]), shown(f"{place['text']} ({place['fate']})")
            )
        parts += [shown(change["cue"], "bold"), table]
    else:
        before, after = answer["injection_before"], answer["injection_after"]
        parts += [
            shown(f"{counted(answer['recalls'], 'recall', 'recalls')} under {answer['policy']}: {answer['unchanged']} unchanged", "bold"),
            shown(f"injection rate {before:.0%} → {after:.0%} · overlap {answer['overlap']:.0%}"),
            shown(f"tokens a recall {answer['tokens_before']:.0f} → {answer['tokens_after']:.0f}"),
        ]
        for title, moved in (("comes", answer["came"]), ("goes", answer["went"])):
            parts += [shown(f"{title} in {each['recalls']}: {each['text']}") for each in moved[:5]]
    return Group(*parts, *(shown(f"note: {note}", "yellow") for note in answer["notes"]))


def tuned_view(answer: JSON) -> RenderableType:
    """The result of tuning, how many pairs it rests on, and which paths of the policy it changed."""
    low, high = answer["interval"]
    what = "injection rate" if answer["source"] == "log" else "share found"
    unit = "recalls" if answer["source"] == "log" else "pairs"
    parts: list[RenderableType] = [
        shown(f"{answer['told'][:1].upper()}{answer['told'][1:]}.", "bold", most=400),
        shown(f"{answer['pairs']} {unit}: {answer['searched']} searched, the newest {answer['held_out']} held out"),
        shown(f"{what} {answer['before']:.0%} → {answer['after']:.0%}, gain {answer['gain']:+.1%} (95 % {low:+.1%} to {high:+.1%})"),
    ]
    if answer["changes"]:
        parts.append(sheet(("path", "before", "after"), [(each["path"], each["before"], each["after"]) for each in answer["changes"]]))
    if answer["version"] is not None:
        parts.append(shown(f"Applied as version {answer['version']}; `cued policy rollback` undoes it."))
    elif answer["helps"]:
        parts.append(shown("Nothing was changed; --apply saves it and decides by it."))
    return Group(*parts)


def history_view(answer: JSON) -> RenderableType:
    """Every version with the reason for it, and the usual policy where that decides."""
    if not answer["versions"]:
        return shown("Nothing was learnt or saved: the usual policy decides.")
    rows = [
        (
            f"{each['number']}{' (applied)' if each['number'] == answer['current'] else ''}",
            each["at"][:16],
            each["name"],
            each["report"]["told"],
        )
        for each in answer["versions"]
    ]
    usual = [("0 (applied)", "", "the usual policy", "")] if not answer["current"] else []
    return sheet(("version", "since", "policy", "why"), [*usual, *rows])


def presets_view(answer: JSON) -> RenderableType:
    """The presets, each with what it is about."""
    rows = [(p["name"] + (" (default)" if p["default"] else ""), p["about"], p["source"]) for p in answer["policies"]]
    return sheet(("name", "about", "source"), rows)


def differences_view(answer: JSON) -> RenderableType:
    """Two policies side by side where they differ."""
    if not answer["differences"]:
        return shown(f"{answer['left']} and {answer['right']} do not differ.")
    return sheet(("path", answer["left"], answer["right"]), [(d["path"], d["left"], d["right"]) for d in answer["differences"]])


def problems_view(answer: JSON) -> RenderableType:
    """One line for a sound policy, or else all its problems."""
    if answer["ok"]:
        return shown(f"{answer['name']}: a sound policy")
    return Group(*map(shown, [f"{answer['name']}: {len(answer['problems'])} problem(s)", *answer["problems"]]))


def _rank(rank: int | None) -> str:
    return "–" if rank is None else str(rank)
