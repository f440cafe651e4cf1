"""Drawings of what is stored: tenants, a page of memories, and memories in full."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from cued.model.plain import JSON
from cued.surfaces.cli.tables import memories_table, memory_card, sheet, shown, utc_now


def tenants_view(answer: JSON) -> RenderableType:
    """The tenants with how many memories each has."""
    rows = [(tenant["name"], str(tenant["memories"])) for tenant in answer["tenants"]]
    return sheet(("tenant", "memories"), rows) if rows else shown("No tenants.")


def listing_view(page: JSON) -> RenderableType:
    """One page of memories, and the cursor that goes on."""
    if not page["memories"]:
        return shown("No memories; `cued tenants` lists whose there are.")
    foot = [shown(f"{len(page['memories'])} of {page['total']}" + ("; the next page:" if page["next"] else ""), "dim")]
    if page["next"]:
        # on one line, however long: it is to be copied
        foot.append(Text(f"  --after {page['next']}", style="dim", no_wrap=True, overflow="ignore"))
    return Group(memories_table(page["memories"], now=utc_now()), *foot)


def cards_view(found: Sequence[JSON]) -> RenderableType:
    """Everything about each memory."""
    return Group(*(part for each in found for part in (memory_card(each), Text(""))))
