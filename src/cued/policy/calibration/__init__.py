"""Calibrations: the coefficients that turn evidence into a probability, one TOML file an embedder, and a generic one."""

import tomllib
from functools import cache
from importlib import resources
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from cued.errors import InputError

Number = Annotated[float, Meta(ge=-1_000_000.0, le=1_000_000.0)]


class Calibration(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A logistic model over named columns, and the background cosine that small stores are shrunk towards.

    `latin_only` says that the embedder knows Latin script alone: where cue or memory has another, words decide.
    """

    name: str
    about: str
    embedder: str = ""
    latin_only: bool = False
    background_mean: Number = 0.0
    background_deviation: Number = 0.1
    background_count: Number = 100.0
    intercept: Number
    weights: dict[str, Number]


@cache
def calibrations() -> dict[str, Calibration]:
    """Every calibration that ships, by name."""
    files = (file for file in resources.files(__package__).iterdir() if file.name.endswith(".toml"))
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
