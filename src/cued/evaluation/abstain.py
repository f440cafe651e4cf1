"""How well the floor keeps silent: each tenant is asked its own questions and as many that only others can answer."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from cued.errors import InputError
from cued.evaluation.cache import digest
from cued.evaluation.dataset import Dataset, Query, answerable
from cued.evaluation.ranking import Floor
from cued.evaluation.runner import Answer, Ask

JSON = dict[str, Any]
BINS = 15


class Bin(Struct, frozen=True, kw_only=True):
    """Candidates of like relevance: how many, what relevance said on average, and what share was gold."""

    count: int
    predicted: float
    gold: float


def mixes(dataset: Dataset) -> bool:
    """Whether there are strangers at all: at least two tenants have answerable questions."""
    return len({query.tenant for query in answerable(dataset) if query.gold_ids}) > 1


def strangers(dataset: Dataset) -> tuple[Ask, ...]:
    """As many questions of other tenants, for each tenant, as it has answerable ones of its own, asked at the same times.

    The draw depends on the names alone. A question whose gold stands word for word in this tenant too, or that this tenant
    is asked anyway, is no stranger and is passed over.
    """
    queries = [query for query in answerable(dataset) if query.gold_ids]
    if not mixes(dataset):
        raise InputError("abstain", dataset.name, "a data set of at least two tenants that have answerable questions")
    texts = {tenant: {item.id: item.text for item in items} for tenant, items in dataset.memories.items()}
    asks: list[Ask] = []
    for tenant in dict.fromkeys(query.tenant for query in queries):
        own = [query for query in queries if query.tenant == tenant]
        held, asked = set(texts[tenant].values()), {query.text for query in dataset.queries if query.tenant == tenant}
        others = [q for q in queries if q.tenant != tenant and q.text not in asked and not held & {texts[q.tenant][g] for g in q.gold_ids}]
        drawn = sorted(others, key=lambda query: digest(tenant, query.tenant, query.id))[: len(own)]
        asks += [Ask(query=query, tenant=tenant, at=mine.asked_at) for query, mine in zip(drawn, own, strict=False)]
    return tuple(asks)


def measured(asks: Sequence[Ask], answers: Sequence[Answer], *, floor: Floor) -> JSON:
    """The figures of a policy on the mixed stream, at its own floor; each figure's function says what it is."""
    best = np.array([answer.best for answer in answers])
    here = np.array([ask.here for ask in asks])
    own = [i for i, ask in enumerate(asks) if ask.here]
    return {
        "auroc": auroc(best, here),
        **spoken(asks, answers, floor=floor),
        "floor": floor,
        "ece": calibration_error(reliability(asks, answers)),
        "ece_answerable": calibration_error(reliability([asks[i] for i in own], [answers[i] for i in own])),
        "queries": {"answerable": int(here.sum()), "stranger": int((~here).sum())},
        "reliability": [{"count": b.count, "predicted": b.predicted, "gold": b.gold} for b in reliability(asks, answers)],
    }


def spoken(asks: Sequence[Ask], answers: Sequence[Answer], *, floor: Floor) -> JSON:
    """For one floor: the injection rate (share of all recalls that returned something), its precision (share of those
    whose question has an answer here; null when nothing was returned), and the share of answerable questions answered with gold.
    """  # noqa: D205 - one sentence
    said = [bool(answer.spoken[floor]) for answer in answers]
    own = [ask.here for ask in asks]
    gold = [not set(ask.query.gold_ids).isdisjoint(answer.spoken[floor]) for ask, answer in zip(asks, answers, strict=True)]
    injected = sum(said)
    return {
        "injection_rate": injected / len(asks),
        "precision": sum(s and h for s, h in zip(said, own, strict=True)) / injected if injected else None,
        "answered": sum(g and h for g, h in zip(gold, own, strict=True)) / sum(own),
    }


def auroc(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> float:
    """The chance that a positive scores above a negative, ties counting half (Mann & Whitney 1947), in [0, 1]."""
    negatives = np.sort(scores[~positive])
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


def own(queries: Sequence[Query]) -> tuple[Ask, ...]:
    """The questions as they are asked at home."""
    return tuple(Ask(query=query, tenant=query.tenant, at=query.asked_at) for query in queries)
