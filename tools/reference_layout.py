"""The layout of the package: one line a module, from the first line of its docstring; and its layers, from pyproject.toml."""

import ast
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "cued"


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
