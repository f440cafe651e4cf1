"""Evidence as bytes and back, exactly, so that a recall can be saved, sent to a colleague and decided again."""

import base64
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from cued.errors import InputError
from cued.model import Evidence

_DTYPES = {"float64", "float32"}


def encode(evidence: Evidence) -> bytes:
    """Give the evidence as JSON; arrays are base64 of their little-endian bytes."""
    return _ENCODER.encode(evidence)


def decode(data: bytes) -> Evidence:
    """Give back what `encode` wrote."""
    try:
        return _DECODER.decode(data)
    except (msgspec.DecodeError, ValueError) as error:
        raise InputError("evidence", data[:40], f"the JSON of a saved recall ({error})") from error


def load(path: Path) -> Evidence:
    """Give the evidence saved in this file."""
    return decode(path.read_bytes())


def _from_array(value: object) -> dict[str, Any]:
    if not isinstance(value, np.ndarray):
        raise NotImplementedError(type(value).__name__)
    little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
    return {"dtype": value.dtype.name, "shape": list(value.shape), "data": base64.b64encode(little.tobytes()).decode()}


def _to_array(kind: type, value: Any) -> Any:  # noqa: ANN401 - a hook for any foreign type
    origin = getattr(kind, "__origin__", kind)
    if origin is not np.ndarray:
        raise NotImplementedError(str(kind))
    if value["dtype"] not in _DTYPES:
        raise ValueError(f"array of {value['dtype']}")
    flat = np.frombuffer(base64.b64decode(value["data"]), dtype=np.dtype(value["dtype"]).newbyteorder("<"))
    return flat.reshape(value["shape"]).astype(value["dtype"])


_ENCODER = msgspec.json.Encoder(enc_hook=_from_array)
_DECODER = msgspec.json.Decoder(Evidence, dec_hook=_to_array)
