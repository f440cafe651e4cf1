"""The wheel's build hook: compiles the loops of a search into the package, where there is a compiler.

Without one the wheel is pure, and `cued.stores.columns.kernels` takes the same loops in numpy. CUED_COMPILE=require makes that an error, as
a release wants it; CUED_COMPILE=never leaves the compiler alone. What is compiled has the sum of its source in it, so that in a checkout
with a newer source it is passed over until it is compiled again.
"""

import os
import re
import struct
import sys
import sysconfig
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("src/cued/stores/columns/_kernels.c")
LEAST = "cp311"
"""The stable interface that is compiled against, which every later Python has too."""
_MAC = re.compile(r"macosx-(?!10\.)(\d+)[\d.]*")
"""The macOS that a Python was built for, from 11 on, where an installer knows whole versions alone: `14_0`, and neither `14_6` nor `14`."""


class KernelsBuildHook(BuildHookInterface[Any]):
    """Compiles before hatchling collects the package."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 (hatchling's signature)
        """Leave the compiled module beside its source, for a wheel and for an editable install alike."""
        wanted = os.environ.get("CUED_COMPILE", "")
        if wanted not in {"", "never", "require"}:
            raise ValueError(f"CUED_COMPILE is {wanted!r}, and can be 'require', 'never' or nothing")
        if wanted == "never" or (wanted != "require" and not _suits()):
            return
        try:
            made = _compiled(Path(self.root))
        except Exception as error:  # a compiler may be missing, or fail in any way
            if wanted == "require":
                raise RuntimeError(f"CUED_COMPILE=require, and the loops of a search cannot be compiled: {error}") from error
            self.app.display_warning(f"the loops of a search are not compiled, and numpy will do them: {error}")
            return
        build_data["artifacts"].append(f"/{made.relative_to(self.root).as_posix()}")
        build_data["pure_python"] = False
        build_data["tag"] = _tag()


def _suits() -> bool:
    """Whether the loops are written for such a machine: whole numbers of eight bytes, the least byte first."""
    return struct.calcsize("P") == 8 and sys.byteorder == "little" and sys.implementation.name == "cpython"  # noqa: PLR2004


def _stable() -> bool:
    """Whether this Python has the stable interface: one without its lock has not."""
    return not sysconfig.get_config_var("Py_GIL_DISABLED")


def _tag() -> str:
    platform = _MAC.sub(r"macosx-\1.0", sysconfig.get_platform()).replace("-", "_").replace(".", "_")
    own = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{LEAST}-abi3-{platform}" if _stable() else f"{own}-{own}t-{platform}"


def _compiled(root: Path) -> Path:
    """The module that the compiler made of the source."""
    from setuptools import Distribution, Extension  # noqa: PLC0415 - only where something is compiled
    from setuptools.command.build_ext import build_ext  # noqa: PLC0415

    # Not one operation that is contracted into another: the loops in numpy round after each.
    windows = sys.platform == "win32"
    exact = ["/O2", "/fp:precise"] if windows else ["-O3", "-fno-fast-math", "-ffp-contract=off", "-fno-math-errno"]
    name = SOURCE.relative_to("src").with_suffix("").as_posix().replace("/", ".")
    extension = Extension(
        name,
        [str(root / SOURCE)],
        define_macros=[("SOURCE_SUM", f"{crc32((root / SOURCE).read_bytes())}u")],
        extra_compile_args=exact,
        extra_link_args=[] if windows else exact,  # -ffast-math in CFLAGS would have all of the process lose its smallest numbers
        libraries=[] if windows else ["m"],
        py_limited_api=_stable(),
    )
    command = build_ext(Distribution({"name": "cued", "ext_modules": [extension]}))
    command.force = True  # a module that is younger than its source may have been made of another, or in another way
    with TemporaryDirectory() as scratch:
        command.build_lib, command.build_temp = str(root / "src"), scratch
        command.ensure_finalized()
        command.run()
    return Path(command.get_ext_fullpath(name))
