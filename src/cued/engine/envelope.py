"""A recall as it was decided, in an envelope that lasts: evidence, policy and calibration, and a version.

The policy is kept whole, defaults and calibration written out, so that neither a preset nor a calibration that changes later changes
what the envelope decides to.
"""

import base64
from collections.abc import Iterator
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

import msgspec
import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from cued.engine import decide
from cued.errors import InputError
from cued.folders import nameable, private
from cued.model import COLUMNS, Evidence, Findings, Recall, Traits
from cued.policy.calibration import resolved
from cued.policy.parse import dump, parse
from cued.policy.spec import Policy

VERSION = 2
_MATRIX = 2
_LARGEST = 1e12
_LONGEST = 1.01


class Envelope(Struct, frozen=True, kw_only=True):
    """What a recall read, and what it was decided under.

    `policy` has its calibration written out. Without `vectors` near-duplicates cannot be told apart, and a decision that would have to
    says so in `degraded`.
    """

    evidence: Evidence
    policy: Policy
    vectors: bool = True

    @classmethod
    def of(cls, evidence: Evidence, policy: Policy, *, vectors: bool = True) -> "Envelope":
        """The envelope of a recall under this policy, which is kept as it decides today; without vectors it is much smaller."""
        kept = evidence if vectors else replace(evidence, findings=replace(evidence.findings, vectors=None))
        return cls(evidence=kept, policy=resolved(policy, evidence.fingerprint), vectors=vectors)

    @classmethod
    def decode(cls, data: bytes) -> "Envelope":
        """The envelope that `encode` wrote; anything else is an InputError."""
        try:
            version = _HEAD.decode(data).version
            if version != VERSION:
                raise InputError("evidence", version, f"an envelope of version {VERSION}; another Cued may read this one")
            written = _WRITTEN.decode(data)
            return cls(evidence=_whole(written.evidence), policy=_parsed(written.policy), vectors=written.vectors)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError("evidence", data[:40], f"the JSON of a saved recall ({error})") from error

    @classmethod
    def load(cls, path: str | Path) -> "Envelope":
        """The envelope in this file; one that cannot be read is an InputError."""
        try:
            return cls.decode(nameable("evidence", path).read_bytes())
        except OSError as error:
            raise InputError("evidence", str(path), f"a file that can be read ({error.strerror})") from error

    def encode(self) -> bytes:
        """The envelope as JSON; arrays are base64 of their little-endian bytes, the policy is TOML."""
        policy = dump(self.policy, whole=True)
        return _ENCODER.encode(_Written(version=VERSION, vectors=self.vectors, policy=policy, evidence=self.evidence))

    def save(self, path: str | Path) -> None:
        """Write the envelope to this file. It holds the texts of the candidates: treat it as you treat the store."""
        data = self.encode()
        try:
            with open(nameable("path", path), "wb", opener=private) as file:
                file.write(data)
        except OSError as error:
            raise InputError("path", str(path), f"a file that can be written ({error.strerror})") from error

    def decide(self, policy: Policy | None = None) -> Recall:
        """The recall that was decided then, to the bit; or what another policy makes of the same evidence."""
        return decide(self.evidence, policy or self.policy)


@lru_cache(maxsize=64)
def _parsed(text: str) -> Policy:
    """The policy of an envelope; thousands of kept recalls have few between them."""
    return parse(text)


def pack(evidence: Evidence) -> bytes:
    """The evidence alone as JSON, for whoever keeps the policy elsewhere."""
    return _ENCODER.encode(evidence)


def unpack(data: bytes) -> Evidence:
    """The evidence that `pack` wrote; what is damaged is a msgspec.DecodeError."""
    return _whole(_EVIDENCE.decode(data))


class _Head(Struct, frozen=True):
    version: int


class _Written(Struct, frozen=True, kw_only=True):
    version: int
    vectors: bool
    policy: str
    evidence: Evidence


class _Array(Struct, frozen=True, kw_only=True):
    dtype: Literal["float64", "float32"]
    shape: tuple[int, ...]
    data: str


def _whole(evidence: Evidence) -> Evidence:
    """The evidence, if its parts fit together; a column that Cued did not have when it was saved says nothing of any row."""
    findings = evidence.findings
    rows = len(findings.memories)
    columns = [*findings.columns.values(), *([] if evidence.boost is None else [evidence.boost])]
    if any(column.shape != (rows,) for column in columns) or not _one_vector_a_row(findings):
        raise msgspec.ValidationError(f"columns, boosts or vectors are not one for each of its {rows} candidates")
    if any((np.abs(column) > _LARGEST).any() for column in columns) or not _near_unit(findings):
        raise msgspec.ValidationError("numbers in it are none that a store gives: columns of moderate size, vectors of length 1")
    if any(time.tzinfo is None for time in _times(evidence)):
        raise msgspec.ValidationError("a time in it has no zone")
    missing = {name: np.full(rows, nothing) for name, nothing in COLUMNS.items() if rows and name not in findings.columns}
    return replace(evidence, findings=replace(findings, columns=findings.columns | missing, traits=Traits(findings.memories)))


def _one_vector_a_row(findings: Findings) -> bool:
    vectors = findings.vectors
    return vectors is None or (vectors.ndim == _MATRIX and len(vectors) == len(findings.memories))


def _near_unit(findings: Findings) -> bool:
    vectors = findings.vectors
    return vectors is None or bool((np.abs(vectors) <= _LONGEST).all())


def _times(value: object) -> Iterator[datetime]:
    """Every time in a value, however deep."""
    if isinstance(value, datetime):
        yield value
    elif isinstance(value, Struct):
        for name in _timed(type(value)):
            yield from _times(getattr(value, name))
    elif isinstance(value, tuple):
        for item in value:
            yield from _times(item)


@cache
def _timed(kind: type[Struct]) -> tuple[str, ...]:
    """The fields of a struct in which a time can stand, however deep."""
    hints = get_type_hints(kind)
    return tuple(name for name in kind.__struct_fields__ if _holds_time(hints[name]))


def _holds_time(hint: object) -> bool:
    if isinstance(hint, type) and issubclass(hint, Struct):
        return bool(_timed(hint))
    return hint is datetime or any(map(_holds_time, get_args(hint)))


def _from_array(value: object) -> _Array | None:
    if isinstance(value, Traits):  # which follow from the memories
        return None
    if not isinstance(value, np.ndarray):
        raise NotImplementedError(type(value).__name__)
    little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
    return _Array(dtype=value.dtype.name, shape=value.shape, data=base64.b64encode(little.tobytes()).decode())


def _to_array(kind: type, value: Any) -> Any:  # noqa: ANN401 - a hook for any foreign type
    if getattr(kind, "__origin__", kind) is not np.ndarray:
        raise NotImplementedError(str(kind))
    array = msgspec.convert(value, _Array)
    flat = np.frombuffer(base64.b64decode(array.data), dtype=np.dtype(array.dtype).newbyteorder("<"))
    return flat.reshape(array.shape).astype(array.dtype)


_ENCODER = msgspec.json.Encoder(enc_hook=_from_array)
_HEAD = msgspec.json.Decoder(_Head)
_WRITTEN = msgspec.json.Decoder(_Written, dec_hook=_to_array)
_EVIDENCE = msgspec.json.Decoder(Evidence, dec_hook=_to_array)
