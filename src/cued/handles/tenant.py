"""The handle of one tenant: the verbs that a user calls. Nothing that reads memories exists without one."""

from cued.handles.changing import Changing
from cued.handles.keeping import Keeping
from cued.handles.measuring import Measuring
from cued.handles.recalling import Recalling
from cued.handles.upkeep import Upkeep


class Tenant(Recalling, Keeping, Changing, Upkeep, Measuring):
    """One tenant's memories. Made by `cued.open(…).tenant(name)`."""

    def __repr__(self) -> str:
        """Whose handle it is."""
        return f"{type(self).__name__}({self.name!r})"
