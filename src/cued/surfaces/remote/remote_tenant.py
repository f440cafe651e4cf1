"""A tenant of a server as a handle, with the verbs of one that is open here."""

from cued.handles.tenant import Tenant
from cued.surfaces.remote.remote_keeping import RemoteKeeping
from cued.surfaces.remote.remote_measuring import RemoteMeasuring
from cued.surfaces.remote.remote_recalling import RemoteRecalling
from cued.surfaces.remote.remote_upkeep import RemoteUpkeep


class RemoteTenant(RemoteRecalling, RemoteKeeping, RemoteUpkeep, RemoteMeasuring, Tenant):
    """One tenant's memories on a server; how its parts are divided is how the handle's own are."""
