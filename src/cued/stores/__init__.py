"""What keeps memories: one store, which knows beliefs and searches, over a keeper of rows: `keepers.memory`, `keepers.sqlite`, or yours."""

from cued.stores.store import Store

__all__ = ["Store"]
