"""The seal of an export: a keyed digest over its lines, by which a store knows a file that it has written itself.

The key is made with the first export and stays in the store, so whoever can read the whole store can forge a seal, and nobody else.
"""

import hmac
import secrets
from collections.abc import Iterable

from cued.errors import InputError, ReadOnlyError
from cued.importers.lines import End, Header, read_header, read_line
from cued.model import OWN_TENANT
from cued.ports import Store

_DOCUMENT = "export key"
_BYTES = 32
_ACCEPTED = "a file that this store has written for this tenant, unchanged since; without this any file is taken as an import"


class Seal:
    """A digest in the making; without a key it comes to nothing."""

    def __init__(self, key: bytes | None) -> None:
        """Start with no line."""
        self._digest = None if key is None else hmac.new(key, digestmod="sha256")

    def add(self, line: bytes) -> bytes:
        """The line, which is under the seal now."""
        if self._digest is not None:
            self._digest.update(line.rstrip(b"\n") + b"\n")
        return line

    def written(self) -> str:
        """The seal as the last line has it, "" without a key."""
        return "" if self._digest is None else self._digest.hexdigest()


def export_key(store: Store, *, make: bool) -> bytes | None:
    """The store's key for exports, made if need be and asked for; None where there is none or it cannot be written."""
    known = store.document(OWN_TENANT, _DOCUMENT)
    if known is not None or not make:
        return known
    try:
        store.swap_document(OWN_TENANT, _DOCUMENT, old=None, new=secrets.token_bytes(_BYTES))
    except ReadOnlyError:
        return None
    return store.document(OWN_TENANT, _DOCUMENT)


def refuse_foreign(lines: Iterable[bytes], store: Store, tenant: str) -> None:
    """Nothing, where this store has written these lines for this tenant and nobody has changed them since; else an InputError."""
    seal, last, header = Seal(export_key(store, make=False)), b"", None
    for line in lines:
        header = read_header(line) if header is None else header
        if last:
            seal.add(last)
        last = line
    end = read_line(last) if header is not None and last else None
    made_here = isinstance(end, End) and seal.written() != "" and hmac.compare_digest(seal.written().encode(), end.seal.encode())
    if not made_here or not isinstance(header, Header) or header.tenant != tenant:
        raise InputError("as_exported", "a file without our seal", _ACCEPTED)
