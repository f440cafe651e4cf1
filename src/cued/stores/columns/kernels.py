"""The loops of a search: compiled where the package was built with a compiler, and else in numpy, to the same bits."""

from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final
from zlib import crc32

from cued.stores.columns import uncompiled

SOURCE: Final = Path(__file__).with_name("_kernels.c")
"""What they are compiled from, which a checkout has and an installed package has not."""


def is_current(compiled: ModuleType, source: Path) -> bool:
    """Whether the compiled module was made of this source, or no source is there: a checkout may have got a newer one since."""
    try:
        return getattr(compiled, "SOURCE_SUM", None) == crc32(source.read_bytes())
    except OSError:  # as in an installed package
        return True


if TYPE_CHECKING:
    loops = uncompiled  # whose signatures are those of both
else:
    try:
        from cued.stores.columns import _kernels
    except ImportError:  # built without a compiler, or for another machine
        loops = uncompiled
    else:
        loops = _kernels if is_current(_kernels, SOURCE) else uncompiled

COMPILED: Final = loops is not uncompiled
"""Whether they are compiled."""

take_apart, put_together = loops.take_apart, loops.put_together
in_steps, scan, most, tell, background = loops.in_steps, loops.scan, loops.most, loops.tell, loops.background
nearest, highest, rank = loops.nearest, loops.highest, loops.rank
beside, merge = loops.beside, loops.merge
number, lay_out = loops.number, loops.lay_out
find, weigh = loops.find, loops.weigh
