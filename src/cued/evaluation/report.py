"""A whole evaluation as JSON: what was asked, and each policy's figures overall, by category, by session, for the floor and by part."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from cued.errors import InputError
from cued.evaluation import ablate, abstain
from cued.evaluation.abstain import asked_at_home, silent_asks
from cued.evaluation.dataset import Dataset, answerable
from cued.evaluation.metrics import names, scores
from cued.evaluation.ranking import Variant, unfloored
from cued.evaluation.runner import Answer, Ask, Bench, Run, run
from cued.model.plain import JSON
from cued.policy.spec import Policy
from cued.significance import paired, share_intervals

Scores = list[dict[str, float]]
MOST_K = 1000
_DIGITS = 6


class Request(Struct, frozen=True, kw_only=True):
    """What is to be measured: the policies, at which k, and whether the floor (also at these heights) and each part."""

    policies: tuple[Policy, ...]
    ks: tuple[int, ...] = (5, 10)
    abstain: bool = False
    floors: tuple[float, ...] = ()
    ablate: bool = False


def evaluate(dataset: Dataset, request: Request, bench: Bench) -> JSON:
    """The whole evaluation; its shape is the contract that `cued eval --json` prints."""
    _check(request)
    queries = answerable(dataset)
    if not queries:
        raise InputError("data set", dataset.name, "at least one query with gold_ids or gold_sessions")
    asks = asked_at_home(queries) + (silent_asks(dataset) if request.abstain else ())
    fingerprint = None if bench.embedder is None else str(bench.embedder.fingerprint)
    done = run(dataset, asks, _variants(request, fingerprint), bench)
    home = [place for place, ask in enumerate(done.asks) if ask.here]
    at_home = Run(asks=_picked(done.asks, home), answers={name: _picked(found, home) for name, found in done.answers.items()})
    turns = {name: _turn_scores(at_home.asks, found, request.ks) for name, found in at_home.answers.items()}
    return {
        "dataset": dataset.name,
        "tenants": len(dataset.memories),
        "memories": sum(map(len, dataset.memories.values())),
        "queries": len(queries),
        "embedder": fingerprint,
        "k": list(request.ks),
        "policies": {policy.name: _policy(policy, request, done, at_home, turns) for policy in request.policies},
        "comparisons": _comparisons(request, turns),
    }


def _check(request: Request) -> None:
    if not request.ks or any(not 1 <= k <= MOST_K for k in request.ks):
        raise InputError("k", list(request.ks), f"numbers from 1 to {MOST_K}, such as 5,10")
    if any(not 0 <= floor <= 1 for floor in request.floors):
        raise InputError("floors", list(request.floors), "numbers from 0 to 1, such as 0.5,0.7,0.9")
    called = [policy.name for policy in request.policies]
    twice = [name for name in called if called.count(name) > 1]
    if twice or not called:
        raise InputError("policy", twice or called, "at least one policy, and each under a name of its own")


def _variants(request: Request, fingerprint: str | None) -> list[Variant]:
    made: list[Variant] = []
    for policy in request.policies:
        plain = unfloored(policy, limit=max(request.ks))
        floors = dict.fromkeys((policy.floor.at, *request.floors)) if request.abstain else ()
        made.append(Variant(name=policy.name, policy=plain, floors=tuple(floors)))
        made += ablate.variants(plain, fingerprint=fingerprint) if request.ablate else ()
    return made


def _policy(policy: Policy, request: Request, done: Run, home: Run, turns: dict[str, Scores]) -> JSON:
    answers = home.answers[policy.name]
    figures = {
        **_grouped(home.asks, turns[policy.name], request.ks),
        "session": _sessions(home.asks, answers, request.ks),
        "latency_ms": _latency(answers),
        "missed": _missed(home.asks, turns[policy.name], max(request.ks)),
    }
    if request.abstain:
        figures["abstain"] = _abstain(policy, request, done)
    if request.ablate:
        figures["ablate"] = _ablate(policy, request, turns)
    return figures


def _missed(asks: Sequence[Ask], measured: Scores, most: int) -> list[JSON]:
    """The questions of whose gold nothing is among the first `most`."""
    pairs = zip(asks, measured, strict=True)
    return [{"id": ask.query.id, "tenant": ask.tenant, "query": ask.query.text} for ask, each in pairs if each and not each[f"any@{most}"]]


def _latency(answers: Sequence[Answer]) -> JSON:
    """The usual and the slow time of a recall, over an even sample of the questions, without embedding them."""
    taken = [answer.ms for answer in answers if answer.ms is not None]
    return {f"p{p}": round(float(np.percentile(taken, p)), 3) if taken else None for p in (50, 95)}


def _grouped(asks: Sequence[Ask], measured: Scores, ks: Sequence[int]) -> JSON:
    """The means over all questions and over each category; a question without gold of this sort has no scores and is left out."""
    whose: dict[str, Scores] = {}
    for ask, each in zip(asks, measured, strict=True):
        if each:
            whose.setdefault(ask.query.category, []).append(each)
    return {
        "overall": _means([each for each in measured if each], ks),
        "by_category": {category: _means(whose[category], ks) for category in sorted(whose)},
    }


def _sessions(asks: Sequence[Ask], answers: Sequence[Answer], ks: Sequence[int]) -> JSON:
    pairs = zip(asks, answers, strict=True)
    measured = [scores(a.sessions, set(ask.query.gold_sessions), ks) if ask.query.gold_sessions else {} for ask, a in pairs]
    grouped = _grouped(asks, measured, ks)
    return {**grouped["overall"], "by_category": grouped["by_category"]}


def _turn_scores(asks: Sequence[Ask], answers: Sequence[Answer], ks: Sequence[int]) -> Scores:
    pairs = zip(asks, answers, strict=True)
    return [scores(answer.ids, set(ask.query.gold_ids), ks) if ask.query.gold_ids else {} for ask, answer in pairs]


def _means(measured: Scores, ks: Sequence[int]) -> JSON:
    """Each metric's mean with its interval, and the number of questions."""
    if not measured:
        return {"queries": 0}
    table = np.array([[each[name] for name in names(ks)] for each in measured])
    figures: JSON = {"queries": len(measured)}
    for name, mean, ci in zip(names(ks), table.mean(axis=0), share_intervals(table), strict=True):
        figures[name] = round(float(mean), _DIGITS)
        figures[f"{name}_ci"] = [round(end, _DIGITS) for end in ci]
    return figures


def _abstain(policy: Policy, request: Request, done: Run) -> JSON:
    asked = [place for place, ask in enumerate(done.asks) if ask.query.gold_ids or not ask.here]
    asks, answers = _picked(done.asks, asked), _picked(done.answers[policy.name], asked)
    figures = abstain.measured(asks, answers, floor=policy.floor.at)
    if request.floors:
        figures["floors"] = [{"floor": floor, **abstain.spoken(asks, answers, floor=floor)} for floor in request.floors]
    return _rounded(figures)


def _ablate(policy: Policy, request: Request, turns: dict[str, Scores]) -> list[JSON]:
    """What the policy without each part finds, and how far that is from the whole; the costliest loss first."""
    metric = f"recall@{max(request.ks)}"
    losses = []
    for name, measured in turns.items():
        part = ablate.part_of(name, policy)
        if part is not None:
            losses.append({"without": part, metric: _mean(measured, metric), **_difference(turns[policy.name], measured, metric)})
    return sorted(losses, key=lambda loss: loss["difference"])


def _comparisons(request: Request, turns: dict[str, Scores]) -> list[JSON]:
    """How each policy differs from the first, on the same questions."""
    first, *others = (policy.name for policy in request.policies)
    most = max(request.ks)
    return [
        {"policy": other, "against": first, "metric": metric, **_difference(turns[first], turns[other], metric)}
        for other in others
        for metric in (f"recall@{most}", f"ndcg@{most}")
    ]


def _difference(left: Scores, right: Scores, metric: str) -> JSON:
    found = paired([each[metric] for each in left if each], [each[metric] for each in right if each])
    return _rounded({"difference": found.mean, "ci": list(found.ci), "p": found.p})


def _mean(measured: Scores, metric: str) -> float:
    return round(float(np.mean([each[metric] for each in measured if each])), _DIGITS)


def _rounded(figures: JSON) -> JSON:
    return {key: _round(value) for key, value in figures.items()}


def _round(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return _rounded(value)
    return [_round(item) for item in value] if isinstance(value, list) else value


def _picked(values: Sequence[Any], places: Sequence[int]) -> tuple[Any, ...]:
    return tuple(values[place] for place in places)
