"""A document of a tenant, changed on top of what others have made of it meanwhile."""

from collections.abc import Callable

from cued.errors import BusyError
from cued.ports import Store

TRIES = 20


def rewritten(store: Store, tenant: str, name: str, change: Callable[[bytes | None], bytes], *, busy: str) -> bytes:
    """The document after the change, which is made again where somebody else was quicker; where always one was, a BusyError of `busy`."""
    for _ in range(TRIES):
        old = store.document(tenant, name)
        new = change(old)
        if store.swap_document(tenant, name, old=old, new=new):
            return new
    raise BusyError(busy)
