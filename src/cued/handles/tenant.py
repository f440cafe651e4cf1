"""The handle of one tenant: the verbs that a user calls. Nothing that reads memories exists without one."""

from cued.handles.keeping import CHUNK, MAX_PAGE, Keeping, Remembered
from cued.handles.recalling import Recalling
from cued.handles.upkeep import Upkeep
from cued.requests.wishes import Wishes

__all__ = ["CHUNK", "MAX_PAGE", "Remembered", "Tenant", "Wishes"]


class Tenant(Recalling, Keeping, Upkeep):
    """One tenant's memories. Made by `cued.open(…).tenant(name)`."""
