"""The loops of a search: compiled where the package was built with a compiler, and else in numpy, to the same bits."""

from typing import TYPE_CHECKING, Final

from cued.stores.columns import uncompiled

if TYPE_CHECKING:
    loops = uncompiled  # whose signatures are those of both
else:
    try:
        from cued.stores.columns import _kernels as loops
    except ImportError:  # built without a compiler, or for another machine
        loops = uncompiled

COMPILED: Final = loops is not uncompiled
"""Whether they are compiled."""

take_apart, put_together = loops.take_apart, loops.put_together
in_steps, scan, tell, background = loops.in_steps, loops.scan, loops.tell, loops.background
nearest, highest, rank = loops.nearest, loops.highest, loops.rank
beside, merge = loops.beside, loops.merge
number, lay_out = loops.number, loops.lay_out
find, weigh = loops.find, loops.weigh
