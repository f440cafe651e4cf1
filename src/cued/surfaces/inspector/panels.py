"""The flow as panels, one for each stage in order, with what it did and how long it took; and the figures beside them."""

from collections import Counter
from collections.abc import Mapping, Sequence

from cued.flow.budget import IN_PROMPT, PINNED
from cued.flow.floor import FLOOR_COLUMNS
from cued.model.plain import JSON
from cued.policy.spec import Floor, Policy
from cued.surfaces.inspector.wording import figure, plural

BINS = 25
SHOWN_WINDOW = 128_000
MOST_SHARE = 0.25


def panels(answer: JSON, policy: Policy, stage_ms: Mapping[str, float]) -> list[JSON]:
    """What each stage did, in order, and how long each took when it was recalled."""
    # What is in view already is in no list, and was not struck.
    struck = Counter(each["stage"] for each in answer["candidates"] if each["rank"] is None and each["fate"] not in {IN_PROMPT, PINNED})
    best = max((each["signals"].get("relevance") or 0.0 for each in answer["candidates"]), default=0.0)
    told = {
        "cue": (plural(len(answer["read"]["terms"]), "search word"), _intent(answer["read"])),
        "gather": (f"{len(answer['candidates'])} found", _read(answer)),
        "fuse": (policy.fuse.how, "no ranks fused" if policy.fuse.how == "none" else f"k = {policy.fuse.k}"),
        "relevance": (f"best {figure(best)}", f"calibration {policy.relevance.calibration}"),
        "score": (plural(len(policy.score.terms), "part"), f"combined by {policy.score.combine}"),
        "rerank": (
            "asked" if policy.rerank.depth else "off",
            f"depth {policy.rerank.depth}" if policy.rerank.depth else "no reranker asked",
        ),
        "floor": (f"{struck['floor']} below", "no floor" if policy.floor.at is None else f"{policy.floor.on} ≥ {policy.floor.at:g}"),
        "diversify": (
            f"{struck['diversify']} alike",
            f"one from {policy.diversify.collapse:g} on" if policy.diversify.collapse <= 1 else "off",
        ),
        "trust": (f"{struck['trust']} struck", "no bound" if policy.trust.one_in <= 1 else f"one in {policy.trust.one_in} unverified"),
        "budget": (f"{len(answer['memories'])} chosen", f"at most {policy.budget.limit}"),
        "render": (plural(answer["tokens"], "token"), policy.render.form),
    }
    spent = {**stage_ms, "gather": stage_ms.get("search", 0.0) + stage_ms.get("embed", 0.0)}
    return [
        {"stage": stage, "figure": head, "about": about, "ms": spent.get(stage), "struck": struck.get(stage, 0)}
        for stage, (head, about) in told.items()
    ]


def histogram(candidates: Sequence[JSON], floor: Floor) -> JSON:
    """A histogram, from 0 to 1, of the candidates' values in the column that the floor compares."""
    values = [each["signals"].get(FLOOR_COLUMNS[floor.on]) or 0.0 for each in candidates]
    counts = Counter(min(BINS - 1, max(0, int(value * BINS))) for value in values)
    most = max(counts.values(), default=1)
    return {"bins": [{"at": at, "high": counts[at] / most, "count": counts[at]} for at in range(BINS)], "wide": BINS}


def block_share(tokens: int, window: int | None) -> JSON:
    """The share of a model's context window that the block takes, and the most that it should."""
    size = window or SHOWN_WINDOW
    return {"window": size, "said": window is not None, "share": tokens / size, "most": MOST_SHARE, "tokens": tokens}


def _intent(read: JSON) -> str:
    times = f", {plural(len(read['intervals']), 'time')}" if read["intervals"] else ""
    return f"intent {read['intent']}{times}"


def _read(answer: JSON) -> str:
    away = sum(answer["suppressed"].values())
    return f"of {answer['read']['visible']:,} visible" + (f", {away:,} held back" if away else "")
