"""A handle of a tenant on a server, with the same verbs as that of a store opened here."""

from cued.handles.tenant import Tenant
from cued.surfaces.remote.remote_keeping import RemoteKeeping
from cued.surfaces.remote.remote_measuring import RemoteMeasuring
from cued.surfaces.remote.remote_recalling import RemoteRecalling
from cued.surfaces.remote.remote_upkeep import RemoteUpkeep


class RemoteTenant(RemoteRecalling, RemoteKeeping, RemoteUpkeep, RemoteMeasuring, Tenant):
    """One tenant's memories on a server; its parts are divided as those of `Tenant` are."""
