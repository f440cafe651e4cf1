"""Tuning: a policy learnt from labelled pairs, checked on pairs that the search never saw, and refused where it may do harm.

The pairs are split by time: the search sees the older two thirds, the verdict rests on the newest third.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from cued.engine import decide
from cued.engine.narrowing import narrowed
from cued.errors import InputError
from cued.insight.climbing import Start, better, climb
from cued.insight.knobs import FLOORS
from cued.insight.pairs import LabelledPair, by_time, found, worth
from cued.insight.rates import ENOUGH, TARGET
from cued.model import RecallEntry
from cued.model.plain import JSON, plain
from cued.policy.parse import diff, dump
from cued.policy.spec import Policy
from cued.ports import Progress, silent
from cued.significance import RESAMPLES, paired

FEWEST = 12
"""The fewest pairs for which a search makes sense."""
MOST = 5000
"""More pairs are refused: they show nothing more, and take long."""
FEW = 60
"""With fewer pairs hardly any policy can be shown to help."""
_SEEN = 2 / 3
_SHUFFLES = 200
_CHANCE = 0.05
_HALF = 0.5
_SEED = 20_260_101


class Difference(Struct, frozen=True, kw_only=True):
    """A path of the policy that tuning changed, with both values as TOML."""

    path: str
    before: str
    after: str


class Tuned(Struct, frozen=True, kw_only=True):
    """What tuning came to. `gain` is the change in the share of gold found on the held-out pairs, with its 95 % interval.

    `helps` says that the interval excludes harm, so that it may be applied; `told` says why or why not. `version` is the number under
    which it was saved, None where it was not. From the log alone, shares are injection rates, and `gain` is how much nearer to the target.
    """

    source: str
    pairs: int
    searched: int
    held_out: int
    before: float
    after: float
    gain: float
    interval: tuple[float, float]
    helps: bool
    told: str
    moves: tuple[str, ...]
    changes: tuple[Difference, ...]
    toml: str
    policy: Policy
    version: int | None = None

    def to_dict(self) -> JSON:
        """What tuning came to, as plain data; the policy is its TOML."""
        told = {name: getattr(self, name) for name in self.__struct_fields__ if name != "policy"}
        return {**plain(told), "policy": self.policy.name}


def tune(starts: Sequence[Start], *, source: str, progress: Progress = silent) -> Tuned:
    """A better policy than the first start's, searched from each start, where held-out pairs show that it is one.

    The starts have the same pairs in the same order, each as its own channels read them.
    """
    count = len(starts[0].pairs)
    enough(count)
    ordered = [replace(start, pairs=tuple(by_time(start.pairs))) for start in starts]
    cut = round(_SEEN * count)
    current = ordered[0].policy
    ends = [climb(replace(start, pairs=start.pairs[:cut]), progress=progress) for start in ordered]
    best = 0
    for place in range(1, len(ends)):
        best = place if better(ends[best], ends[place]) else best
    held = [start.pairs[cut:] for start in ordered]
    before, after = _answers(held[0], current), _answers(held[best], ends[best].policy)
    shares = paired(_found(before, held[0]), _found(after, held[best]))
    worths = paired(_worths(before, held[0], current), _worths(after, held[best], ends[best].policy))
    moved = () if best == 0 and not ends[0].moves else ((f"start from {ordered[best].policy.name}",) if best else ()) + ends[best].moves
    helps, told = _verdict(moved, shares.ci, worths.ci, chance=_by_chance(held[best], after), count=count)
    policy = replace(ends[best].policy, name=_tuned_name(current), about=f"Tuned from {ordered[best].policy.name} on {count} {source}.")
    return Tuned(
        source=source,
        pairs=count,
        searched=cut,
        held_out=count - cut,
        before=float(np.mean(_found(before, held[0]))),
        after=float(np.mean(_found(after, held[best]))),
        gain=shares.mean,
        interval=shares.ci,
        helps=helps,
        told=told,
        moves=moved,
        changes=differences(current, policy),
        toml=dump(policy),
        policy=policy,
    )


def enough(pairs: int) -> None:
    """Refuse too few pairs to learn from, and more than can be searched in reasonable time."""
    if pairs < FEWEST:
        raise InputError("pairs", pairs, f"{FEWEST} labelled pairs or more: {FEWEST - pairs} are missing; `cued label` makes them")
    if pairs > MOST:
        raise InputError("pairs", pairs, f"at most {MOST} labelled pairs")


def tune_floor(lines: Sequence[RecallEntry], policy: Policy, *, target: float) -> Tuned:
    """The floor alone, moved on a grid of 0.05 to where the injection rate of these recalls (oldest first) is nearest to the target."""
    if len(lines) < ENOUGH:
        raise InputError("recalls", len(lines), f"{ENOUGH} recalls under one policy: {ENOUGH - len(lines)} are missing")
    if policy.floor.on != "relevance":
        raise InputError("floor.on", policy.floor.on, "relevance: the log keeps no other column's best; tune with labelled pairs")
    best, cut = np.array([line.best_relevance for line in lines]), round(_SEEN * len(lines))
    old = -1.0 if policy.floor.at is None else policy.floor.at
    rates = {floor: float((best[:cut] >= floor).mean()) for floor in FLOORS}
    new = min(FLOORS, key=lambda floor: (round(abs(rates[floor] - target), 3), abs(floor - old)))
    before, after = float((best[cut:] >= old).mean()), float((best[cut:] >= new).mean())
    low, high = _nearer(best[cut:], old, new, target)
    refused = _reason(before, after, target, None if new == old else new, surely=low > 0)
    helps = not refused
    moved = f"a floor of {new:.2f} brings the injection rate from {before:.0%} to {after:.0%} on the newest {len(lines) - cut} recalls"
    tuned = replace(policy, name=_tuned_name(policy), floor=replace(policy.floor, at=new if helps else policy.floor.at))
    return Tuned(
        source="log",
        pairs=len(lines),
        searched=cut,
        held_out=len(lines) - cut,
        before=before,
        after=after if helps else before,
        gain=abs(before - target) - abs(after - target),
        interval=(low, high),
        helps=helps,
        told=refused or moved,
        moves=(f"floor to {new}",) if helps else (),
        changes=differences(policy, tuned),
        toml=dump(tuned),
        policy=tuned,
    )


def _reason(before: float, after: float, target: float, floor: float | None, *, surely: bool) -> str:
    """Why the floor stays as it is; "" if the new one surely brings the rate nearer to the target, by at least half the way."""
    now = f"the injection rate is {before:.0%}"
    if abs(before - target) <= (TARGET[1] - TARGET[0]) / 2:
        return f"{now}, near the {target:.0%} that it is to be: nothing to do"
    if floor is None:
        return f"{now}, and no floor on the grid brings it nearer to {target:.0%}"
    if not surely:
        return f"a floor of {floor:.2f} does not surely bring the injection rate nearer to {target:.0%}"
    if abs(after - target) > _HALF * abs(before - target):
        return f"{now}, and no floor brings it near {target:.0%}: one of {floor:.2f} would leave it at {after:.0%}"
    return ""


def differences(before: Policy, after: Policy) -> tuple[Difference, ...]:
    """Where two policies differ in more than their names."""
    return tuple(Difference(path=path, before=a, after=b) for path, a, b in diff(before, after))


def _verdict(
    moved: Sequence[str], shares: tuple[float, float], worths: tuple[float, float], *, chance: bool, count: int
) -> tuple[bool, str]:
    few = f"; {count} pairs show little, {FEW} and more show something" if count < FEW else ""
    if not moved:
        return False, f"nothing to gain: no single move is better by more than chance{few}"
    if chance:
        return False, f"these labels look like chance: shuffled among the cues they are found as often{few}"
    if shares[0] < 0 or worths[0] <= 0:
        return False, f"not shown to help: on the held-out pairs the interval does not exclude harm{few}"
    return True, f"it helps on pairs that the search never saw{few}"


def _by_chance(pairs: Sequence[LabelledPair], answers: Sequence[tuple[str, ...]]) -> bool:
    """Whether the answers fit other cues' labels as well as their own, so that the labels say nothing about the cues."""
    with_gold = [(pair.gold, chosen) for pair, chosen in zip(pairs, answers, strict=True) if pair.gold]
    if len({gold for gold, _ in with_gold}) < 2:  # noqa: PLR2004 - one gold for all cannot be shuffled
        return False
    hits = np.array([[found(chosen, gold) for gold, _ in with_gold] for _, chosen in with_gold])
    rng = np.random.default_rng(_SEED)
    own, rows = float(np.trace(hits)), np.arange(len(with_gold))
    as_good = sum(float(hits[rows, rng.permutation(len(rows))].sum()) >= own for _ in range(_SHUFFLES))
    return as_good > _CHANCE * _SHUFFLES


def _answers(pairs: Sequence[LabelledPair], policy: Policy) -> list[tuple[str, ...]]:
    return [tuple(each.id for each in decide(narrowed(pair.evidence, policy), policy)) for pair in pairs]


def _found(answers: Sequence[tuple[str, ...]], pairs: Sequence[LabelledPair]) -> list[float]:
    return [found(chosen, pair.gold) for chosen, pair in zip(answers, pairs, strict=True)]


def _worths(answers: Sequence[tuple[str, ...]], pairs: Sequence[LabelledPair], policy: Policy) -> list[float]:
    return [worth(chosen, pair, limit=policy.budget.limit) for chosen, pair in zip(answers, pairs, strict=True)]


def _nearer(best: np.ndarray[tuple[int, ...], np.dtype[np.float64]], old: float, new: float, target: float) -> tuple[float, float]:
    """The 95 % interval of how much nearer the rate comes to the target, by resamples of the recalls."""
    rng = np.random.default_rng(_SEED)
    drawn = rng.integers(0, len(best), size=(RESAMPLES, len(best)))
    gains = np.abs((best >= old)[drawn].mean(axis=1) - target) - np.abs((best >= new)[drawn].mean(axis=1) - target)
    low, high = np.percentile(gains, (2.5, 97.5))
    return float(low), float(high)


def _tuned_name(policy: Policy) -> str:
    return policy.name if policy.name.endswith("-tuned") else f"{policy.name}-tuned"
