"""Rows to hold a keeper against: how they are made, written, read back and compared."""

from collections.abc import Callable, Iterable, Sequence

from cued.conformance.samples import NOW, record
from cued.model import Filter, Head, LogQuery, LogRules, RecallEntry, Row, Slice
from cued.ports import Keeper, Transaction
from cued.stores.arrays import micros
from cued.stores.standing.facts import judged

ALL = Filter()

Listed = tuple[list[str], int]


def taken_apart(runs: Iterable[tuple[Sequence[int], bytes]]) -> dict[int, bytes]:
    """The vectors of runs by key."""
    found: dict[int, bytes] = {}
    for keys, data in runs:
        size = len(data) // len(keys)
        assert size * len(keys) == len(data)
        found |= {key: data[place * size : (place + 1) * size] for place, key in enumerate(keys)}
    return found


def row(memory_id: str, text: str = "tea in the garden", *, tenant: str = "t", key: int = 0, **given: object) -> Row:
    """A row to write; `forward` is some bytes or None, every other fact is a record's."""
    forward = given.pop("forward", f"forward of {memory_id}".encode())
    made = record(tenant, memory_id, text, **given)
    vector = None if made.vector is None or forward is None else made.vector.astype("<f4").tobytes()
    return Row(made.memory, key, judged(made.memory), forward, vector)  # type: ignore[arg-type]


def break_off(keeper: Keeper, write: Callable[[Transaction], object], *, tenant: str = "t") -> None:
    """Write something in a transaction that then fails."""
    with keeper.begin(tenant, write=True) as rows:
        write(rows)
        raise ZeroDivisionError


def put(keeper: Keeper, *rows: Row, tenant: str = "t") -> Head:
    """Insert rows in a transaction of their own and give the head then."""
    with keeper.begin(tenant, write=True) as written:
        written.insert(rows)
        return written.head()


def page(rows: Transaction, after: tuple[int, str], *, limit: int = 9, oldest_first: bool = False, wanted: Filter = ALL) -> Listed:
    """The ids of a part of a listing, and the total."""
    found, total = rows.page(wanted, Slice(micros(NOW), after, limit, oldest_first))
    return [memory.id for memory in found], total


def logged(keeper: Keeper, tenant: str, lines: Sequence[RecallEntry], rules: LogRules) -> list[tuple[str, bool]]:
    """Write lines one by one and give what is left of them: their ids, and whether with content."""
    with keeper.begin(tenant, write=True) as rows:
        for line in lines:
            rows.put_log([line], rules)
    with keeper.begin(tenant, write=False) as rows:
        return [(line.recall_id, line.cue is not None and line.evidence is not None) for line in rows.log(LogQuery(content=True))]


def assert_as_written(found: dict[str, Row], new: list[Row]) -> None:
    """Hold rows that were read against those that were written."""
    assert found.keys() == {each.memory.id for each in new}
    for each in new:
        read = found[each.memory.id]
        assert (read.memory, read.forward, read.vector) == (each.memory, each.forward, each.vector)
