"""CrewAI's unified memory over Cued: `Memory(storage=CuedStorage(tenant), embedder=…)`."""

from cued.integrations.crewai.crew_storage import CuedStorage

__all__ = ["CuedStorage"]
