"""Policies that were learnt or saved, in versions, each with the report that it rests on: one document a tenant."""

from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.errors import InputError
from cued.insight.tuning import Tuned
from cued.model.plain import Plain
from cued.policy.calibration import digest
from cued.policy.parse import diff, dump, parse
from cued.policy.spec import Policy

BY_HAND = "by hand"
"""The source of a policy that was not learnt."""
_MOST = 50


class Version(Struct, frozen=True, kw_only=True):
    """A policy that was learnt or saved: its number, since when, its TOML, and the report of the tuning, or what a person changed."""

    number: int
    at: datetime
    name: str
    digest: str
    toml: str
    report: dict[str, Any]


class History(Plain, frozen=True, kw_only=True):
    """All versions, oldest first, and the number of the one that is applied; 0 is none, so that the usual policy decides."""

    current: int = 0
    versions: tuple[Version, ...] = ()


def history(document: bytes | None) -> History:
    """The history in a document; none is an empty one."""
    return History() if document is None else _DECODER.decode(document)


def current_policy(document: bytes | None) -> Policy | None:
    """The policy that is applied; None where the usual one decides."""
    known = history(document)
    version = next((each for each in known.versions if each.number == known.current), None)
    return None if version is None else parse(version.toml, name=version.name)


def applied(document: bytes | None, tuned: Tuned, *, at: datetime) -> bytes:
    """The document with what was learnt as one version more, which is applied from now on."""
    number = _number(document)
    return _with(document, tuned.policy, report=_report(replace(tuned, version=number)), at=at)


def saved(document: bytes | None, policy: Policy, *, before: Policy, note: str, at: datetime) -> bytes:
    """The document with a policy that a person chose as one version more, which is applied from now on in place of the one before."""
    changes = [{"path": path, "before": old, "after": new} for path, old, new in diff(before, policy)]
    report = {"source": BY_HAND, "told": note or "saved by hand", "changes": changes, "version": _number(document)}
    return _with(document, policy, report=report, at=at)


def rolled_back(document: bytes | None, to: int | None) -> bytes:
    """The document with an earlier version applied: the one of this number, 0 for none, or else the one before the current."""
    known = history(document)
    numbers = [version.number for version in known.versions]
    if to is None:
        to = max((number for number in numbers if number < known.current), default=0)
    if to not in {0, *numbers}:
        raise InputError("to", to, f"one of {', '.join(map(str, [0, *numbers]))}; 0 is the usual policy")
    return msgspec.json.encode(replace(known, current=to))


def _number(document: bytes | None) -> int:
    return 1 + max((version.number for version in history(document).versions), default=0)


def _with(document: bytes | None, policy: Policy, *, report: dict[str, Any], at: datetime) -> bytes:
    """The document with one version more, which is the current one; of many the newest stay."""
    number = _number(document)
    version = Version(number=number, at=at, name=policy.name, digest=digest(policy), toml=dump(policy), report=report)
    return msgspec.json.encode(History(current=number, versions=(*history(document).versions, version)[-_MOST:]))


def _report(tuned: Tuned) -> dict[str, Any]:
    return {name: value for name, value in tuned.to_dict().items() if name != "toml"}


_DECODER = msgspec.json.Decoder(History)
