"""How well the floor keeps silent: own questions, near ones that this tenant has no answer to, and far ones that are about something else.

A near question is its tenant's own, of a category that has no answer or without gold. A far one is another tenant's, or of the
category `far`. One tenant is enough where it has questions of either kind.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from cued.errors import InputError
from cued.evaluation.cache import digest
from cued.evaluation.dataset import FAR, Dataset, Query, answerable, unanswerable
from cued.evaluation.ranking import Floor
from cued.evaluation.runner import Answer, Ask
from cued.model.plain import JSON, plain

BINS = 15


class Bin(Struct, frozen=True, kw_only=True):
    """Candidates of like relevance: how many, what relevance said on average, and what share was gold."""

    count: int
    predicted: float
    gold: float


def mixes(dataset: Dataset) -> bool:
    """Whether there is anything to be silent about: a question without an answer, or other tenants' questions."""
    return bool(unanswerable(dataset)) or _several(dataset)


def silent_asks(dataset: Dataset) -> tuple[Ask, ...]:
    """The questions that call for silence: near ones, and far ones as stated, else other tenants'."""
    if not mixes(dataset):
        raise InputError("abstain", dataset.name, "two tenants that have answerable questions, or questions without gold")
    stated = asked_at_home(unanswerable(dataset))
    drawn = any(ask.query.category == FAR for ask in stated) or not _several(dataset)
    return stated if drawn else stated + strangers(dataset)


def strangers(dataset: Dataset) -> tuple[Ask, ...]:
    """For each tenant as many questions of other tenants as it has answerable ones of its own, asked at the same times.

    The draw depends on the names alone. A question whose gold stands word for word in this tenant too, or that this tenant
    is asked anyway, is no stranger and is passed over.
    """
    queries = [query for query in answerable(dataset) if query.gold_ids]
    texts = {tenant: {item.id: item.text for item in items} for tenant, items in dataset.memories.items()}
    asks: list[Ask] = []
    for tenant in dict.fromkeys(query.tenant for query in queries):
        mine = [query for query in queries if query.tenant == tenant]
        held, asked = set(texts[tenant].values()), {query.text for query in dataset.queries if query.tenant == tenant}
        others = [q for q in queries if q.tenant != tenant and q.text not in asked and not held & {texts[q.tenant][g] for g in q.gold_ids}]
        drawn = sorted(others, key=lambda query: digest(tenant, query.tenant, query.id))[: len(mine)]
        asks += [Ask(query=query, tenant=tenant, at=each.asked_at) for query, each in zip(drawn, mine, strict=False)]
    return tuple(asks)


def measured(asks: Sequence[Ask], answers: Sequence[Answer], *, floor: Floor) -> JSON:
    """The figures of a policy on own, near and far questions, at its own floor; each figure's function says what it is."""
    best = np.array([answer.best for answer in answers])
    here, near = np.array([ask.here for ask in asks]), np.array([ask.near for ask in asks])
    bins = reliability(asks, answers)
    mine, beside = ([place for place, which in enumerate(those) if which] for those in (here, near))
    return {
        "auroc": auroc(best[~near], here[~near]),
        **spoken(asks, answers, floor=floor),
        "floor": floor,
        "near": {
            "auroc": auroc(best[here | near], here[here | near]),
            "silence": _silence(answers, beside, floor),
        },
        "by_category": by_category([asks[i] for i in mine], [answers[i] for i in mine], floor=floor),
        "ece": calibration_error(bins),
        "ece_answerable": calibration_error(reliability([asks[i] for i in mine], [answers[i] for i in mine])),
        "queries": {"answerable": int(here.sum()), "near": int(near.sum()), "far": int((~here & ~near).sum())},
        "reliability": [plain(each) for each in bins],
    }


def spoken(asks: Sequence[Ask], answers: Sequence[Answer], *, floor: Floor) -> JSON:
    """What one floor does to own and far questions.

    The injection rate is the share of these recalls that returned something, precision the share of those whose question has an answer
    here, silence the share of far questions that nothing was returned to. Of own questions, answered is the share whose result has
    gold in it, shown the same among those whose gold stands within the limit, and extra the mean number of other memories returned.
    A share of nothing is null.
    """
    mine = [(ask, answer) for ask, answer in zip(asks, answers, strict=True) if ask.here]
    far = [place for place, ask in enumerate(asks) if not ask.here and not ask.near]
    silence = _silence(answers, far, floor)
    told = sum(bool(answer.spoken[floor]) for _, answer in mine)
    injected = told + sum(bool(answers[place].spoken[floor]) for place in far)
    return {
        "injection_rate": injected / (len(mine) + len(far)),
        "precision": told / injected if injected else None,
        "silence": silence,
        **_answered(mine, floor),
    }


def by_category(asks: Sequence[Ask], answers: Sequence[Answer], *, floor: Floor) -> JSON:
    """What a floor does to own questions, category by category."""
    whose: dict[str, list[tuple[Ask, Answer]]] = {}
    for ask, answer in zip(asks, answers, strict=True):
        whose.setdefault(ask.query.category, []).append((ask, answer))
    return {category: {"queries": len(pairs), **_answered(pairs, floor)} for category, pairs in sorted(whose.items())}


def _answered(pairs: Sequence[tuple[Ask, Answer]], floor: Floor) -> JSON:
    gold = [not set(ask.query.gold_ids).isdisjoint(answer.spoken[floor]) for ask, answer in pairs]
    found = [not set(ask.query.gold_ids).isdisjoint(answer.ids) for ask, answer in pairs]
    extra = [len(set(answer.spoken[floor]) - set(ask.query.gold_ids)) for ask, answer in pairs]
    return {"answered": _mean(gold), "shown": sum(gold) / sum(found) if any(found) else None, "extra": _mean(extra)}


def _silence(answers: Sequence[Answer], places: Sequence[int], floor: Floor) -> float | None:
    return _mean([not answers[place].spoken[floor] for place in places])


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if len(values) else None


def _several(dataset: Dataset) -> bool:
    return len({query.tenant for query in answerable(dataset) if query.gold_ids}) > 1


def auroc(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> float | None:
    """The chance that a positive scores above a negative, ties counting half (Mann & Whitney 1947), in [0, 1]; None without either."""
    negatives = np.sort(scores[~positive])
    if not len(negatives) or not positive.any():
        return None
    below = np.searchsorted(negatives, scores[positive], side="left")
    not_above = np.searchsorted(negatives, scores[positive], side="right")
    return float((below + not_above).mean() / 2 / len(negatives))


def reliability(asks: Sequence[Ask], answers: Sequence[Answer]) -> list[Bin]:
    """15 bins of equally many candidates, by relevance: every candidate ranked within the limit, gold only where asked at home."""
    shown = [
        (relevance, ask.here and found in ask.query.gold_ids)
        for ask, answer in zip(asks, answers, strict=True)
        for found, relevance in zip(answer.ids, answer.relevances, strict=True)
    ]
    shown.sort()
    bins = (np.array(part, dtype=np.float64) for part in np.array_split(np.array(shown, dtype=np.float64).reshape(-1, 2), BINS))
    return [Bin(count=len(part), predicted=float(part[:, 0].mean()), gold=float(part[:, 1].mean())) for part in bins if len(part)]


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """The expected calibration error Σ count/total · |predicted − gold| (Naeini et al. 2015), in [0, 1]; None without candidates."""
    total = sum(each.count for each in bins)
    return sum(each.count * abs(each.predicted - each.gold) for each in bins) / total if total else None


def asked_at_home(queries: Sequence[Query]) -> tuple[Ask, ...]:
    """The questions as they are asked of their own tenants."""
    return tuple(Ask(query=query, tenant=query.tenant, at=query.asked_at) for query in queries)
