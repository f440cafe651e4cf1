"""The layout of the package: a line a module, from its docstring; its layers, from pyproject.toml; and the way of a command through it.

`python -m tools.reference_layout recall "When is the deploy?"` watches a command on a store of its own, and prints the modules it passes.
"""

import ast
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "cued"
WALKS = {"recall": "When is the staging deploy?", "remember": "She lives in Lisbon."}
_STORED = (
    "Alice prefers Postgres for anything relational.",
    "The staging deploy runs every Friday at 16:00.",
    "Bob moved the standup to 9:30.",
)
_STAND_INS = frozenset({"cued.stores.columns.uncompiled"})
"""What is passed only where something was not compiled."""
_WIDTH = 138


class Walk(NamedTuple):
    """The modules that a command passed, in the order of the first visit, and how often it went from one room to another."""

    modules: list[str]
    changes: int


def layout() -> str:
    """The package as a tree, one line a module, folders after the modules beside them."""
    return "```text\n" + "\n".join(["src/cued/", *_lines(PACKAGE, 1)]) + "\n```"


def layout_page() -> str:
    """The page that has every module with its first line."""
    return f"# Modules\n\nEvery module of the package, with the first line of its docstring. Written by `make docs`.\n\n{layout()}\n"


def layers() -> str:
    """The layers that import-linter holds, the highest first: a line imports from those below it."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    held = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return "```text\n" + "\n".join(held) + "\n```"


def walk(command: str) -> str:
    """The modules that a command passes, in the order in which it first comes to each."""
    passed = walked(command).modules
    rooms = len({module.split(".")[0] for module in passed})
    way = textwrap.fill(" → ".join(passed), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return f"```text\n{way}\n```\n\nThese are {len(passed)} modules of {rooms} rooms."


def walked(command: str) -> Walk:
    """The way of a command that has been run once before, so that what is loaded and worked out only once is not counted."""
    with tempfile.TemporaryDirectory() as folder:
        own = {name: value for name, value in os.environ.items() if not name.startswith(("CUED_", "XDG_"))}
        own |= {
            "HOME": folder,
            "CUED_DB": f"{folder}/walk.db",
            "CUED_EMBEDDER": "hashing",
            "PYTHONPATH": f"{PACKAGE.parent}{os.pathsep}{ROOT}",
        }
        argv = [sys.executable, "-m", "tools.reference_layout", command, WALKS[command]]
        told = subprocess.run(argv, cwd=ROOT, env=own, check=True, capture_output=True, text=True)  # noqa: S603 - our own
    *modules, changes = told.stdout.split()
    return Walk(modules, int(changes))


def _watched(argv: list[str]) -> Walk:
    for text in _STORED:
        _run(["remember", text])
    _run(argv)
    way: list[str] = []

    def visit(frame: FrameType, event: str, _: object) -> None:
        module = str(frame.f_globals.get("__name__", ""))
        if event == "call" and module.startswith("cued.") and module not in _STAND_INS:
            way.append(module.removeprefix("cued."))

    sys.setprofile(visit)
    _run(argv)
    sys.setprofile(None)
    rooms = [module.split(".")[0] for module in way]
    return Walk(list(dict.fromkeys(way)), sum(here != there for here, there in pairwise(rooms)))


def _run(argv: list[str]) -> None:
    from cued.surfaces.cli.root import cued_command  # noqa: PLC0415 - only what is watched needs it

    quiet = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet), contextlib.suppress(SystemExit):
        cued_command.main(argv)


def _lines(folder: Path, depth: int) -> list[str]:
    modules = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
    packages = sorted(path for path in folder.iterdir() if (path / "__init__.py").is_file())
    indent = "  " * depth
    lines = [_told(f"{indent}{path.name}", path) for path in modules]
    for package in packages:
        lines += [_told(f"{indent}{package.name}/", package / "__init__.py"), *_lines(package, depth + 1)]
    return lines


def _told(name: str, path: Path) -> str:
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    return f"{name:<32}{said.split(chr(10))[0]}"


if __name__ == "__main__":
    found = _watched(sys.argv[1:])
    print(*found.modules, found.changes, sep="\n")
