"""From an address to a policy: the preset, weights and bounds that a page's controls are set to, and what that changes."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from cued.engine.envelope import Envelope
from cued.errors import InputError
from cued.model.plain import JSON
from cued.policy.parse import diff, dump, parse
from cued.policy.presets import preset
from cued.policy.spec import Policy, Term
from cued.requests.checks import read
from cued.requests.cue import DecideRequest, adjusted
from cued.surfaces.inspector.candidates import COLOURS

WEIGHT = "w."
_NUMBERS: Mapping[str, type] = {"floor": float, "limit": int, "budget_tokens": int, "window_tokens": int}


class Deciding(Struct, frozen=True, kw_only=True):
    """A policy to decide with: the chosen one, the same with the controls' weights, and the other changes for this recall."""

    base: Policy
    weighted: Policy
    request: DecideRequest

    @property
    def applied(self) -> Policy:
        """The policy that decides."""
        return adjusted(self.request, self.weighted)


def deciding(query: Mapping[str, str], saved: Envelope, usual: Policy, *, named: str, versions: Mapping[str, str]) -> Deciding:
    """The policy that a page's controls are set to; where they name none, the recall's own. `versions` are policies as TOML, by name."""
    name = query.get(named, "")
    base = _policy_named(name, versions) if name else _as_it_was(saved, usual)
    first = named == "policy"
    return Deciding(base=base, weighted=_weighted(base, query) if first else base, request=_request(query) if first else DecideRequest())


def weights(policy: Policy, *, usual: Policy) -> list[JSON]:
    """The parts of a policy's score with their weights, what those usually are, and the colours of their bars."""
    pairs = enumerate(zip(policy.score.terms, usual.score.terms, strict=True))
    return [{"name": label(term), "weight": term.weight, "usual": before.weight, "colour": at % COLOURS} for at, (term, before) in pairs]


def label(term: Term) -> str:
    """What a part of the score is called in explanations."""
    return term.name or term.signal or ""


def as_toml(policy: Policy, name: str) -> str:
    """The policy as it would be saved under this name."""
    return dump(replace(policy, name=name, source="", about=""))


def changes(choice: Deciding) -> list[JSON]:
    """Where the policy that decides differs from the one that was chosen."""
    return [{"path": path, "before": before, "after": after} for path, before, after in diff(choice.base, choice.applied)]


def _policy_named(name: str, versions: Mapping[str, str]) -> Policy:
    return parse(versions[name], name=name) if name in versions else preset(name)


def _as_it_was(saved: Envelope, usual: Policy) -> Policy:
    """The policy of that recall; the usual one itself where the two are still equal, because that is shorter to write."""
    return usual if Envelope.of(saved.evidence, usual).policy == saved.policy else saved.policy


def _weighted(policy: Policy, query: Mapping[str, str]) -> Policy:
    said = {name.removeprefix(WEIGHT): value for name, value in query.items() if name.startswith(WEIGHT) and value.strip()}
    terms = tuple(
        replace(term, weight=_number(label(term), said[label(term)])) if label(term) in said else term for term in policy.score.terms
    )
    if terms == policy.score.terms:
        return policy
    changed = replace(policy, score=replace(policy.score, terms=terms))
    return parse(dump(changed), name=policy.name)


def _request(query: Mapping[str, str]) -> DecideRequest:
    body: dict[str, Any] = {}
    for name, kind in _NUMBERS.items():
        if said := query.get(name, "").strip():
            try:
                body[name] = kind(said)
            except ValueError:
                body[name] = said
    return read(body, DecideRequest)


def _number(name: str, said: str) -> float:
    try:
        return float(said)
    except ValueError:
        raise InputError(f"weight of {name}", said, "a number from −100 to 100") from None
