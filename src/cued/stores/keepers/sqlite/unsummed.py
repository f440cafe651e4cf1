"""Damage in a file whose pages carry no sums: what SQLite finds itself, and columns that do not say what their memory says.

Where pages carry sums, whatever is read is what was written. Where they do not, a row's own sums tell of its text, words and vector; for
the rest such a file is looked through once, when it is opened.
"""

from collections.abc import Mapping
from typing import Any

import apsw
from msgspec import DecodeError

from cued.model import Memory, Row
from cued.stores.encoding import decoded, fits
from cued.stores.keepers.sql_values import marks_read
from cued.stores.keepers.sqlite.transaction import columns
from cued.stores.standing.facts import judged

TOLD_BY_BODY = ("scope", "kind", "tier", "created", "valid_from", "valid_until", "expires", "forgotten", "superseded", "locally",
                 "session", "turn", "tags", "trust", "quarantined")  # fmt: skip
_ROWS = f"""
    SELECT memory.key, id, body, body_sum, fingerprint.text, tenant.name, {", ".join(TOLD_BY_BODY)}
    FROM memory LEFT JOIN fingerprint ON fingerprint.key = memory.fingerprint LEFT JOIN tenant ON tenant.key = memory.tenant
"""  # noqa: S608 - constants
_SIZES = """
    SELECT 1 FROM tenant WHERE size <> (SELECT count(*) FROM memory WHERE memory.tenant = tenant.key)
    UNION ALL SELECT 1 FROM memory WHERE (fingerprint IS NULL) = EXISTS (SELECT 1 FROM vector WHERE vector.key = memory.key) LIMIT 1
"""


def fault(connection: apsw.Connection) -> str:
    """What is wrong with a file, "" for nothing; rows that their own sums tell of are left to whoever reads them."""
    found = str(connection.execute("PRAGMA integrity_check(1)").get)
    if found != "ok":
        return found
    if connection.execute(_SIZES).fetchone():
        return "there are not as many memories or vectors as were stored"
    edges = dict[int, set[tuple[str, str]]]()
    for key, relation, target in connection.execute("SELECT key, relation, target FROM edge"):
        edges.setdefault(key, set()).add((relation, target))
    return next((said for row in connection.execute(_ROWS) if (said := _row_fault(row, edges))), "")


def differing(held: Mapping[str, Any], memory: Memory, key: int) -> list[str]:
    """The columns of a row that do not say what its memory says."""
    told = columns(Row(memory, key, judged(memory)), change=0)
    return [name for name in TOLD_BY_BODY if held[name] != told[name] and not (name == "locally" and _same_marks(held[name], memory))]


def _same_marks(locally: Any, memory: Memory) -> bool:  # noqa: ANN401 - a damaged file can hold anything
    """Whether marks say the same: the first schema kept some of them shorter."""
    try:
        return marks_read(locally) == judged(memory).marks
    except (DecodeError, UnicodeDecodeError, TypeError):
        return False


def _row_fault(row: tuple[Any, ...], edges: Mapping[int, set[tuple[str, str]]]) -> str:
    key, memory_id, body, body_sum, fingerprint, tenant, *held = row
    if not fits(body, body_sum):
        return ""
    try:
        memory = decoded(body, body_sum)
    except (DecodeError, UnicodeDecodeError):
        return ""
    named = memory.id, memory.fingerprint, memory.tenant.encode()
    linked = {(edge.relation, edge.target) for edge in memory.edges}
    if named != (memory_id, fingerprint, tenant) or linked != edges.get(key, set()):
        return f"the row of the memory {memory.id!r} is another's"
    names = differing(dict(zip(TOLD_BY_BODY, held, strict=True)), memory, key)
    return f"the columns of the memory {memory.id!r} do not say what it says: {', '.join(names)}" if names else ""
