"""A document of a tenant, changed on top of what others have made of it meanwhile."""

from collections.abc import Callable

from cued.errors import BusyError
from cued.ports import Store

TRIES = 20


def rewritten(  # noqa: PLR0913 - the document is named by two, and both ends of a race are told
    store: Store, tenant: str, name: str, change: Callable[[bytes | None], bytes], *, busy: str, known: bool = False
) -> bytes:
    """The document after the change, tried again where another writer came first; if one always does, a BusyError that says `busy`.

    Of a tenant that was `known` before and is gone by now nothing is written.
    """
    for _ in range(TRIES):
        old = store.document(tenant, name)
        new = change(old)
        if store.swap_document(tenant, name, old=old, new=new, known=known) or (known and not store.size(tenant)):
            return new
    raise BusyError(busy)
