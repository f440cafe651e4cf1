"""Two policies on the same traffic: what was shown beside what a policy on trial made of the same evidence, and who was shown which."""

from collections.abc import Sequence

from msgspec import Struct

from cued.insight.rates import ENOUGH, Rates, rates
from cued.model import LogQuery, RecallEntry
from cued.model.plain import Plain
from cued.ports import Store
from cued.significance import paired

LATELY = 5000
"""How many of the newest recalls are compared."""


class Arm(Struct, frozen=True, kw_only=True):
    """The recalls that were shown under one policy, and what feedback said of them."""

    policy: str
    policy_digest: str
    rates: Rates
    tokens: float
    conversations: int
    cited_rate: float
    bad_rate: float


class Beside(Struct, frozen=True, kw_only=True):
    """What one policy showed and another made of the same evidence.

    `overlap` is the mean share of memories that both have; `difference` is how much more often the one on trial would have spoken, with
    its 95 % interval. `kept_cited` is the share of the memories that feedback cited which it would have shown too.
    """

    shown: str
    trial: str
    trial_digest: str
    recalls: int
    injection_shown: float
    injection_trial: float
    difference: float
    interval: tuple[float, float]
    overlap: float
    tokens_shown: float
    tokens_trial: float
    kept_cited: float | None
    kept_bad: float | None


class Compared(Plain, frozen=True, kw_only=True):
    """The policies of the newest recalls: each that was shown, each that decided beside, and how many recalls are missing to conclude."""

    recalls: int
    arms: tuple[Arm, ...]
    beside: tuple[Beside, ...]
    missing: int


def compare(tenant: str, store: Store) -> Compared:
    """What the newest recalls say of the policies that made them, and of those on trial."""
    lines = store.log(tenant, LogQuery(limit=LATELY))
    shown: dict[tuple[str, str], list[RecallEntry]] = {}
    trials: dict[tuple[str, str, str], list[RecallEntry]] = {}
    for line in lines:
        shown.setdefault((line.policy, line.policy_digest), []).append(line)
        if line.shadow is not None:
            trials.setdefault((line.policy, line.shadow.policy, line.shadow.policy_digest), []).append(line)
    arms = tuple(_arm(name, own) for name, own in shown.items())
    fewest = min((arm.rates.recalls for arm in arms), default=0)
    return Compared(recalls=len(lines), arms=arms, beside=tuple(_beside(own) for own in trials.values()), missing=max(0, ENOUGH - fewest))


def _arm(name: tuple[str, str], lines: Sequence[RecallEntry]) -> Arm:
    return Arm(
        policy=name[0],
        policy_digest=name[1],
        rates=rates(lines),
        tokens=_mean([line.tokens for line in lines]),
        conversations=len({line.conversation for line in lines if line.conversation}),
        cited_rate=_mean([bool(line.cited) for line in lines]),
        bad_rate=_mean([bool(line.bad) for line in lines]),
    )


def _beside(lines: Sequence[RecallEntry]) -> Beside:
    pairs = [(line, line.shadow) for line in lines if line.shadow is not None]
    spoke = paired([bool(line.chosen) for line, _ in pairs], [bool(other.chosen) for _, other in pairs])
    shares = [_shared(set(line.chosen), set(other.chosen)) for line, other in pairs if line.chosen or other.chosen]
    first, trial = pairs[0]
    return Beside(
        shown=first.policy,
        trial=trial.policy,
        trial_digest=trial.policy_digest,
        recalls=len(pairs),
        injection_shown=_mean([bool(line.chosen) for line, _ in pairs]),
        injection_trial=_mean([bool(other.chosen) for _, other in pairs]),
        difference=spoke.mean,
        interval=spoke.ci,
        overlap=_mean(shares) if shares else 1.0,
        tokens_shown=_mean([line.tokens for line, _ in pairs]),
        tokens_trial=_mean([other.tokens for _, other in pairs]),
        kept_cited=_share_kept([(line.cited, other.chosen) for line, other in pairs]),
        kept_bad=_share_kept([(line.bad, other.chosen) for line, other in pairs]),
    )


def _share_kept(judged: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> float | None:
    ids = [memory_id in chosen for named, chosen in judged for memory_id in named]
    return _mean(ids) if ids else None


def _shared(left: set[str], right: set[str]) -> float:
    return len(left & right) / len(left | right)


def _mean(values: Sequence[float]) -> float:
    return float(sum(values) / len(values)) if values else 0.0
