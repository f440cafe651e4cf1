"""Writes the parts of the documentation that the code already says, and with `--check` tells whether they are current.

A page marks such a part with `<!-- generated: NAME -->` and `<!-- /generated -->`; whole pages are in `WHOLE`.
Run it as `python -m tools.reference`.
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tools.reference_agents import clients_setup, hooks_setup, tools_table
from tools.reference_cli import cli_page, commands_table
from tools.reference_frameworks import example, framework, frameworks_table, mapping_table
from tools.reference_http import http_page
from tools.reference_json import json_page, schema_file
from tools.reference_layout import layers, layout_page, walk
from tools.reference_policy import knobs, policy_page, preset_text, presets_table, signals_table
from tools.reference_python import errors_page, errors_tree, python_page
from tools.reference_reasons import in_short, reasons, speeds

ROOT = Path(__file__).resolve().parent.parent
WHOLE: dict[str, Callable[[], str]] = {
    "docs/reference/policy.md": policy_page,
    "docs/reference/python.md": python_page,
    "docs/reference/errors.md": errors_page,
    "docs/reference/json.md": json_page,
    "docs/reference/http.md": http_page,
    "docs/reference/requests.schema.json": schema_file,
    "docs/reference/cli.md": cli_page,
    "docs/reference/layout.md": layout_page,
}
PARTS: dict[str, Callable[..., str]] = {
    "knobs": knobs,
    "preset": preset_text,
    "presets": presets_table,
    "signals": signals_table,
    "commands": commands_table,
    "errors": errors_tree,
    "layers": layers,
    "tools": tools_table,
    "clients": clients_setup,
    "hooks": hooks_setup,
    "example": example,
    "framework": framework,
    "frameworks": frameworks_table,
    "mapping": mapping_table,
    "reasons": reasons,
    "speeds": speeds,
    "in_short": in_short,
    "walk": walk,
}
_MARKED = re.compile(r"(?P<open><!-- generated: (?P<name>[^\n]+?) -->\n).*?(?P<close><!-- /generated -->)", re.DOTALL)


def pages(root: Path = ROOT) -> tuple[Path, ...]:
    """Every page of the documentation: those at the root, and all under docs/."""
    return (root / "README.md", root / "ARCHITECTURE.md", *sorted((root / "docs").rglob("*.md")))


def current(root: Path = ROOT) -> Iterator[tuple[Path, str]]:
    """Every page that has a generated part, with the text that it should have."""
    for name, make in WHOLE.items():
        yield root / name, make()
    for page in pages(root):
        if page.relative_to(root).as_posix() not in WHOLE and page.is_file():
            text = page.read_text("utf-8")
            if _MARKED.search(text):
                yield page, _MARKED.sub(_filled, text)


def stale(root: Path = ROOT) -> list[Path]:
    """The pages whose generated parts are not what the code says now."""
    return [page for page, text in current(root) if not page.is_file() or page.read_text("utf-8") != text]


def write(root: Path = ROOT) -> list[Path]:
    """Bring every page up to date, and give those that have changed."""
    changed = []
    for page, text in list(current(root)):
        if not page.is_file() or page.read_text("utf-8") != text:
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(text, "utf-8")
            changed.append(page)
    return changed


def _filled(match: re.Match[str]) -> str:
    part, *arguments = match["name"].split()
    if part not in PARTS:
        raise SystemExit(f"<!-- generated: {match['name']} -->: known are {', '.join(PARTS)}")
    return f"{match['open']}{PARTS[part](*arguments).rstrip()}\n{match['close']}"


def main(arguments: list[str]) -> int:
    """Write, or with `--check` only look; gives the exit code."""
    if arguments not in ([], ["--check"]):
        print("usage: python -m tools.reference [--check]", file=sys.stderr)
        return 2
    check = bool(arguments)
    found = stale() if check else write()
    for page in found:
        print(f"{'stale' if check else 'written'}: {page.relative_to(ROOT)}")
    if check and found:
        print("bring them up to date with: make docs", file=sys.stderr)
    return int(check and bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
