"""How much is measured: the stores' shapes and the number of repetitions, in full, quickly, or just to see that it runs."""

from msgspec import Struct


class Shape(Struct, frozen=True):
    """A store: so many memories over so many tenants, each a sentence or, where they are `long`, a page of 2.4 kB.

    They are turns of sessions, or `notes`: a long one of those has excerpts.
    """

    memories: int
    tenants: int = 1
    long: bool = False
    notes: bool = False

    @property
    def name(self) -> str:
        """Spell the shape as tables and files do."""
        thousands, rest = divmod(self.memories, 1000)
        kind = "notes-" if self.notes else "long-" if self.long else "one-" if self.tenants == 1 else "tenants-"
        return kind + (f"{thousands}k" if not rest else str(self.memories))

    @property
    def each(self) -> int:
        """The memories of one tenant."""
        return self.memories // self.tenants


class Load(Struct, frozen=True, kw_only=True):
    """What a server is put under: clients that ask for so many seconds, over so many memories of so many tenants."""

    seconds: float = 30.0
    clients: int = 64
    memories: int = 10_000
    tenants: int = 50


class Size(Struct, frozen=True, kw_only=True):
    """One size of the whole benchmark."""

    shapes: tuple[Shape, ...]
    growth: tuple[Shape, ...]
    recalls: int
    writes: int
    bulk: int
    repeats: int
    load: Load
    raced: int = 10_000
    """Among how many memories Cued races others."""


SIZES = {
    "full": Size(
        shapes=(
            Shape(1000),
            Shape(10_000),
            Shape(10_000, long=True),
            Shape(10_000, long=True, notes=True),
            Shape(100_000),
            Shape(100_000, 1000),
        ),
        growth=(Shape(1000, 10), Shape(10_000, 100), Shape(100_000, 1000)),
        recalls=200,
        writes=20,
        bulk=1000,
        repeats=3,
        load=Load(),
    ),
    # `python -m bench --size million --only one-1000k`: takes 4 GB of disk, 3 GB of memory and some minutes.
    "million": Size(
        shapes=(Shape(1_000_000),),
        growth=(Shape(1000, 10),),
        recalls=60,
        writes=8,
        bulk=1000,
        repeats=1,
        load=Load(),
    ),
    "quick": Size(
        shapes=(Shape(10_000), Shape(10_000, long=True), Shape(10_000, 100)),
        growth=(Shape(1000, 10), Shape(10_000, 100)),
        recalls=60,
        writes=8,
        bulk=300,
        repeats=1,
        load=Load(seconds=5.0),
    ),
    # What grows with the store, where it is large: python -m bench --size large --only keepers; 8 GB of disk and six minutes.
    "large": Size(
        shapes=(),
        growth=(Shape(10_000, 100), Shape(1_000_000, 10_000)),
        recalls=200,
        writes=8,
        bulk=300,
        repeats=1,
        load=Load(),
    ),
    "tiny": Size(
        shapes=(Shape(60), Shape(60, long=True), Shape(60, 3)),
        growth=(Shape(40, 2), Shape(60, 3)),
        recalls=3,
        writes=2,
        bulk=4,
        repeats=1,
        load=Load(seconds=0.2, clients=4, memories=20, tenants=2),
        raced=60,
    ),
}
