"""An evaluation drawn for people, from the JSON that everyone else gets."""

from collections.abc import Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from cued.model.plain import JSON
from cued.text.harmless import plain

_MANY = 10
_KINDS = ("channel", "term", "relevance column")
_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))


def drawn(answer: JSON, *, floors: Sequence[float] = ()) -> RenderableType:
    """The whole evaluation as tables, each with a line that says how to read it; these floors are shown, however many were measured."""
    most = max(answer["k"])
    parts: list[RenderableType] = [_heading(answer), _overall(answer, most), _note(_how_to_read(answer, most))]
    if by_category := has_categories(answer):
        parts += [_title(f"recall@{most} by category"), _categories(answer, most)]
    for name, figures in answer["policies"].items():
        if figures["missed"]:
            parts += [_title(f"{name} finds nothing that answers these within {most}"), *_missed(figures["missed"])]
    if any(figures["session"]["queries"] for figures in answer["policies"].values()):
        parts += [_title("sessions, ranked by their best turn"), _sessions(answer)]
    if any("abstain" in figures for figures in answer["policies"].values()):
        parts += [_title(_kinds(answer)), _abstain(answer, floors), _apart(answer), _note(_FLOOR)]
        parts += [_title("what the floor lets through, by category"), _answered_by_category(answer)] if by_category else []
    for name, figures in answer["policies"].items():
        if figures.get("ablate"):
            parts += [_title(f"{name}, without one part at a time"), _ablate(figures["ablate"], most), _note(_PARTS)]
    return Group(*parts)


def has_categories(answer: JSON) -> bool:
    """Whether the questions are told apart by category."""
    return len(next(iter(answer["policies"].values()))["by_category"]) > 1


def _heading(answer: JSON) -> Text:
    tenants = f"{answer['tenants']:,} tenant{'s' * (answer['tenants'] != 1)}"
    counts = f"{tenants}, {answer['memories']:,} memories, {answer['queries']:,} questions with an answer"
    return Text(f"{answer['dataset']}: {counts}; embedder {answer['embedder'] or 'none'}\n")


def _overall(answer: JSON, most: int) -> Table:
    metrics = [*(f"recall@{k}" for k in answer["k"]), f"any@{most}", f"all@{most}", f"ndcg@{most}", "mrr"]
    table = _grid("policy", *metrics, "p50 ms", "p95 ms")
    stars = {c["policy"]: _star(c["p"]) for c in answer["comparisons"] if c["metric"] == f"recall@{most}"}
    for name, figures in answer["policies"].items():
        cells = [_percent(figures["overall"], metric, wide=metric == f"recall@{most}") for metric in metrics]
        cells[len(answer["k"]) - 1] += stars.get(name, "")
        table.add_row(name, *cells, *(_plain(figures["latency_ms"][p], 1) for p in ("p50", "p95")))
    return table


def _categories(answer: JSON, most: int) -> Table:
    first = next(iter(answer["policies"].values()))["by_category"]
    table = _by_category(first)
    for name, figures in answer["policies"].items():
        table.add_row(name, *(_percent(figures["by_category"][category], f"recall@{most}", wide=True) for category in first))
    return table


def _sessions(answer: JSON) -> Table:
    metrics = [f"{metric}@{k}" for metric in ("recall", "any", "all") for k in answer["k"]]
    table = _grid("policy", *metrics, "mrr")
    for name, figures in answer["policies"].items():
        table.add_row(name, *(_percent(figures["session"], metric) for metric in (*metrics, "mrr")))
    return table


def _kinds(answer: JSON) -> str:
    counted = next(figures["abstain"] for figures in answer["policies"].values() if "abstain" in figures)["queries"]
    return f"the floor, on {counted['answerable']:,} own, {counted['near']:,} near and {counted['far']:,} far questions"


def _missed(missed: Sequence[JSON]) -> list[Text]:
    lines = [Text(f"{each['id']}  {plain(each['query'])}", overflow="ellipsis", no_wrap=True) for each in missed[:_MANY]]
    return [*lines, _note(f"and {len(missed) - _MANY:,} more: --json has them all")] if len(missed) > _MANY else lines


def _abstain(answer: JSON, floors: Sequence[float]) -> Table:
    table = _grid("policy", "floor", "injection rate", "precision", "silence", "answered", "shown", "extra")
    for name, figures in answer["policies"].items():
        measured = figures["abstain"]
        rows = [measured, *(row for row in _few(measured.get("floors", ()), floors) if row["floor"] != measured["floor"])]
        for row in rows:
            table.add_row(name if row is measured else "", *_height(row))
    return table


def _apart(answer: JSON) -> Table:
    """How well the best relevance tells own questions from far and from near ones, and whether it means what it says."""
    table = _grid("policy", "auroc far", "auroc near", "silence near", "ece")
    for name, figures in answer["policies"].items():
        table.add_row(name, *_whole(figures["abstain"]))
    return table


def _height(row: JSON) -> list[str]:
    rates = (_percent(row, key) for key in ("injection_rate", "precision", "silence", "answered", "shown"))
    return [_plain(row["floor"], 2), *rates, _plain(row["extra"], 2)]


def _whole(measured: JSON) -> list[str]:
    near = measured["near"]
    return [_plain(measured["auroc"], 3), _plain(near["auroc"], 3), _percent(near, "silence"), _plain(measured["ece"], 3)]


def _answered_by_category(answer: JSON) -> Table:
    first = next(figures["abstain"] for figures in answer["policies"].values() if "abstain" in figures)["by_category"]
    table = _by_category(first)
    for name, figures in answer["policies"].items():
        rows = figures["abstain"]["by_category"]
        table.add_row(name, *(f"{_percent(rows[category], 'answered')} +{_plain(rows[category]['extra'], 1)}" for category in first))
    return table


def _few(rows: Sequence[JSON], asked: Sequence[float]) -> Sequence[JSON]:
    """The rows of the floors that were asked for; else all, or where they are many those at full tenths."""
    if asked:
        return [row for row in rows if row["floor"] in asked]
    return rows if len(rows) < _MANY else [row for row in rows if round(10 * row["floor"], 6) % 1 == 0]


def _ablate(losses: Sequence[JSON], most: int) -> Group:
    """The parts without which an answer differs; the others are only named."""
    table, idle = _grid("without", f"recall@{most}", "difference", "95 % interval", "p"), list[str]()
    for loss in losses:
        low, high = (f"{100 * end:+.1f}" for end in loss["ci"])
        if not loss["difference"] and loss["ci"] == [0.0, 0.0]:
            idle.append(loss["without"])
            continue
        shown = f"{100 * loss['difference']:+.1f}{_star(loss['p'])}"
        table.add_row(loss["without"], _percent(loss, f"recall@{most}"), shown, f"{low} to {high}", _chance(loss["p"]))
    return Group(table, Text(f"No difference on any question without: {_listed(idle)}.")) if idle else Group(table)


def _listed(parts: Sequence[str]) -> str:
    """The parts' names, each kind's under its own word."""
    kinds: dict[str, list[str]] = {}
    for part in parts:
        kind = next((each for each in _KINDS if part.startswith(f"{each} ")), "")
        kinds.setdefault(kind, []).append(part.removeprefix(kind).strip())
    return "; ".join(f"{kind}s {', '.join(names)}" if kind else ", ".join(names) for kind, names in kinds.items())


def _how_to_read(answer: JSON, most: int) -> str:
    told = "In percent, with the 95 % interval over questions in brackets. Times leave out embedding the question."
    first = next(iter(answer["policies"]))
    starred = f" Stars: recall@{most} differs from {first}'s on the same questions ({_LEVELS})."
    return told + (starred if answer["comparisons"] else "")


def _grid(*headers: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for place, header in enumerate(headers):
        table.add_column(header, justify="right" if place else "left", no_wrap=place == 0)
    return table


def _by_category(counted: JSON) -> Table:
    return _grid("policy", *(f"{name.replace('-', ' ')}\n({figures['queries']})" for name, figures in counted.items()))


def _title(text: str) -> Text:
    return Text(f"\n{text}", style="bold")


def _note(text: str) -> Text:
    return Text(text, style="dim")


def _percent(figures: JSON, metric: str, *, wide: bool = False) -> str:
    """A share in percent, with its interval where asked; "–" for none."""
    value = figures.get(metric)
    if value is None:
        return "–"
    if not wide:
        return f"{100 * value:.1f}"
    low, high = figures[f"{metric}_ci"]
    return f"{100 * value:.1f} ({100 * low:.0f}–{100 * high:.0f})"


def _plain(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _chance(p: float) -> str:
    return "<0.001" if p < _STARS[0][0] else f"{p:.3f}"


def _star(p: float) -> str:
    return next((f" {stars}" for level, stars in _STARS if p < level), "")


_LEVELS = "randomisation test, * p < .05, ** p < .01, *** p < .001"
_FLOOR = (
    "Injection rate: recalls that returned something, of all own and far ones. Precision: share of those whose question has an answer "
    "here. Silence: share of far questions, or near ones, that nothing was returned to. Answered: share of answerable questions whose "
    "result has gold in it; shown: of those whose gold is within the limit; extra: other memories a recall. AUROC: best relevance, own "
    "questions against far ones, or near ones, which sound like this tenant's and have no answer here. "
    "ECE: relevance against gold, over the candidates ranked."
)
_PARTS = f"Difference: what is lost (−) or gained (+) without the part, on the same questions. Stars: {_LEVELS}."
