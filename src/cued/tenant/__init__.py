"""The handle of one tenant: the verbs that a user calls. Nothing that reads memories exists without one."""

from cued.tenant.keeping import CHUNK, MAX_PAGE, Keeping, Remembered
from cued.tenant.recalling import Recalling
from cued.tenant.upkeep import Upkeep
from cued.wishes import Wishes

__all__ = ["CHUNK", "MAX_PAGE", "Remembered", "Tenant", "Wishes"]


class Tenant(Recalling, Keeping, Upkeep):
    """One tenant's memories. Made by `cued.open(…).tenant(name)`."""
