"""floor: what is not relevant enough stays silent, however many places are free."""

from cued.flow.table import Table

FLOOR_COLUMNS = {"relevance": "relevance", "score": "score", "similarity": "cosine"}


def run(table: Table) -> None:
    """Strike every row below the floor."""
    floor = table.policy.floor
    if floor.at is None:
        return
    column = table.columns[FLOOR_COLUMNS[floor.on]]
    below = (table.alive & ~(column >= floor.at)).nonzero()[0]
    table.strike_all(below, "floor", f"{floor.on} %.2f, floor {floor.at:.2f}")
