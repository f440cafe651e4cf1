"""What a ranking is worth, given the gold: each metric of one query, from 0 to 1, higher is better."""

from collections.abc import Collection, Iterable, Sequence
from math import log2


def scores(ranking: Sequence[str], gold: Collection[str], ks: Sequence[int]) -> dict[str, float]:
    """The metrics recall@k, any@k, all@k and ndcg@k for each k, and mrr over the first max(ks), of one ranking."""
    hits = [found in gold for found in ranking]
    measured = {f"{name}@{k}": measure(hits[:k], len(gold), k) for k in ks for name, measure in _AT_K.items()}
    return {**measured, "mrr": reciprocal_rank(hits[: max(ks)])}


def recall(hits: Sequence[bool], gold: int, k: int) -> float:  # noqa: ARG001 - every metric at k takes its k
    """The share of the gold that is found."""
    return sum(hits) / gold


def any_found(hits: Sequence[bool], gold: int, k: int) -> float:  # noqa: ARG001 - every metric at k takes its k and its gold
    """1 when at least one of the gold is found."""
    return float(any(hits))


def all_found(hits: Sequence[bool], gold: int, k: int) -> float:  # noqa: ARG001 - every metric at k takes its k
    """1 when all of the gold is found."""
    return float(sum(hits) == gold)


def ndcg(hits: Sequence[bool], gold: int, k: int) -> float:
    """Σ hit/log2(rank+1) over the same sum for a perfect ranking of min(gold, k) hits (Järvelin & Kekäläinen 2002, binary)."""
    gained = sum(1 / log2(rank + 1) for rank, hit in enumerate(hits, 1) if hit)
    return gained / sum(1 / log2(rank + 1) for rank in range(1, min(gold, k) + 1))


def reciprocal_rank(hits: Sequence[bool]) -> float:
    """1/rank of the first hit, 0 without one."""
    return next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)


def by_best(owners: Iterable[str | None]) -> tuple[str, ...]:
    """Each owner once, in the order of its best: turns' sessions become a ranking of sessions."""
    return tuple(dict.fromkeys(owner for owner in owners if owner is not None))


def names(ks: Sequence[int]) -> tuple[str, ...]:
    """The names of all metrics, as `scores` spells them."""
    return (*(f"{name}@{k}" for k in ks for name in _AT_K), "mrr")


_AT_K = {"recall": recall, "any": any_found, "all": all_found, "ndcg": ndcg}
