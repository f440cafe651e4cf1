"""Calibrations: the coefficients that turn evidence into a probability, one TOML file an embedder, and a generic one.

What a policy comes to with them: the calibration that it names, written out, and a digest of every number that can change a decision.
"""

import tomllib
from collections.abc import Mapping
from datetime import timedelta
from functools import cache, lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import asdict, replace

from cued.errors import InputError
from cued.policy.spec import Calibration, Policy, Relevance

_NO_NUMBERS = frozenset({"name", "source", "about"})


@cache
def calibrations() -> dict[str, Calibration]:
    """Every calibration that ships, by name."""
    files = (file for file in Path(__file__).parent.iterdir() if file.suffix == ".toml")
    found = (msgspec.convert(tomllib.loads(file.read_text("utf-8")), Calibration) for file in files)
    return {calibration.name: calibration for calibration in sorted(found, key=lambda c: c.name)}


def calibration_for(name: str, fingerprint: str | None) -> Calibration:
    """The calibration of this name; "auto" takes the embedder's own, else the generic one, or the one without vectors."""
    known = calibrations()
    if name != "auto":
        if name not in known:
            raise InputError("relevance.calibration", name, f"auto, {', '.join(known)}")
        return known[name]
    if fingerprint is None:
        return known["lexical"]
    own = (c for c in known.values() if c.embedder and fingerprint.startswith(c.embedder))
    return next(own, known["generic"])


def calibrated(rules: Relevance, fingerprint: str | None) -> tuple[Calibration, Calibration | None]:
    """The calibration of a recall, and the one for rows without a comparable vector where that is another one."""
    if rules.coefficients is not None:
        return rules.coefficients, rules.word_coefficients
    by_words = calibration_for("auto", None) if rules.calibration == "auto" else None
    return calibration_for(rules.calibration, fingerprint), rules.word_coefficients or by_words


def resolved(policy: Policy, fingerprint: str | None) -> Policy:
    """The policy with its calibration written out for this embedder, so that it decides the same whatever Cued ships later."""
    coefficients, by_words = calibrated(policy.relevance, fingerprint)
    return replace(policy, relevance=replace(policy.relevance, coefficients=coefficients, word_coefficients=by_words))


def digest(policy: Policy) -> str:
    """16 hex digits that are the same in every process, and change when a number changes that can change a decision.

    Names and descriptions do not count. The calibrations that ship do, as far as the policy may take them.
    """
    shipped = calibrations()
    known = _told.get(id(policy))
    if known is None or known.policy is not policy or known.shipped is not shipped:
        if len(_told) >= _MOST_TOLD:
            _told.clear()
        known = _told[id(policy)] = _Told(policy, shipped, _digest(_Numbers(policy, _calibrations(policy.relevance))))
    return known.digest


class _Told(NamedTuple):
    """A policy at hand, the calibrations that it was told with, and its digest: recall after recall needs that of the same one."""

    policy: Policy
    shipped: dict[str, Calibration]
    digest: str


_told: dict[int, _Told] = {}
_MOST_TOLD = 64


class _Numbers:
    """A policy and the calibrations that it may take; two are equal when they are written with the same bytes, which is quick to tell."""

    def __init__(self, policy: Policy, calibrations: list[Calibration | None]) -> None:
        self.policy, self.calibrations = policy, calibrations
        self._written = msgspec.msgpack.encode((policy, calibrations))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Numbers) and self._written == other._written

    def __hash__(self) -> int:
        return hash(self._written)


@lru_cache(maxsize=256)
def _digest(numbers: _Numbers) -> str:
    stages = asdict(numbers.policy)
    told = [(name, _numbers(stages[name])) for name in sorted(stages) if name not in {*_NO_NUMBERS, "relevance"}]
    return blake2b(repr((told, _numbers(numbers.calibrations))).encode(), digest_size=8).hexdigest()


def _calibrations(rules: Relevance) -> list[Calibration | None]:
    """Every calibration that these rules may take, whatever the embedder."""
    if rules.coefficients is not None:
        return [replace(each, embedder="") if each else None for each in (rules.coefficients, rules.word_coefficients)]
    named = calibrations().values() if rules.calibration == "auto" else [calibration_for(rules.calibration, None)]
    return [*named, rules.word_coefficients]


def _numbers(value: Any) -> object:  # noqa: ANN401 - whatever a policy holds
    """The value as plain data in one order, equal numbers written alike."""
    if isinstance(value, Struct):
        return [(key, _numbers(getattr(value, key))) for key in value.__struct_fields__ if key not in _NO_NUMBERS]
    if isinstance(value, Mapping):
        return sorted((key, _numbers(item)) for key, item in value.items())
    if isinstance(value, tuple | list):
        return [_numbers(item) for item in value]
    if isinstance(value, timedelta):
        return value.total_seconds()
    # one way to write each number: 1 is 1.0, and −0 is 0
    return value + 0.0 if isinstance(value, int | float) and not isinstance(value, bool) else value
