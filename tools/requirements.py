"""Where each required behaviour stands: docs/requirements.toml against the marks in the tests.

Run as a script it prints one line a behaviour and the total; tests/requirements calls the same functions.
"""

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
MANIFEST = ROOT / "docs" / "requirements.toml"
TESTED = ("tests/**/*.py", "src/cued/conformance/**/*.py")

State = Literal["covered", "partial", "gap", "missing"]
FIELDS = {"title", "gap", "partial"}


class Requirement(NamedTuple):
    """One behaviour of the manifest: what it is, and what is not built or not shown yet."""

    id: str
    title: str
    gap: str = ""
    partial: str = ""


class Mark(NamedTuple):
    """One test that claims to show one behaviour."""

    id: str
    test: str


class ManifestError(ValueError):
    """The manifest or a mark cannot be read: where, and what is accepted."""


def read_manifest(text: str) -> dict[str, Requirement]:
    """The manifest's requirements by id, in the order of the file."""
    requirements = {}
    for name, entry in tomllib.loads(text).items():
        if not entry.get("title") or entry.keys() - FIELDS or not all(isinstance(value, str) and value.strip() for value in entry.values()):
            raise ManifestError(f"{name}: needs a title and at most `gap` and `partial`, all of them text; has {entry}")
        requirements[name] = Requirement(name, **entry)
    return requirements


def marks_in(source: str, place: str) -> Iterator[Mark]:
    """Every (id, test) of a module's source: marks on functions, on classes, and the module's own `pytestmark`."""
    tree = ast.parse(source, place)
    yield from _marks_below(tree, _module_ids(tree, place), place)


def _marks_below(parent: ast.Module | ast.ClassDef, inherited: tuple[str, ...], place: str) -> Iterator[Mark]:
    for node in parent.body:
        if isinstance(node, ast.ClassDef):
            yield from _marks_below(node, inherited + _ids(node.decorator_list, place), f"{place}::{node.name}")
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test"):
            ids = inherited + _ids(node.decorator_list, place)
            yield from (Mark(name, f"{place}::{node.name}") for name in dict.fromkeys(ids))


def _module_ids(tree: ast.Module, place: str) -> tuple[str, ...]:
    assigned = [node for node in tree.body if isinstance(node, ast.Assign)]
    values = [node.value for node in assigned if any(isinstance(name, ast.Name) and name.id == "pytestmark" for name in node.targets)]
    return _ids(values, place)


def _ids(expressions: Iterable[ast.expr], place: str) -> tuple[str, ...]:
    """The ids of every `….requirement("R1", …)` call inside the expressions."""
    nodes = (node for expression in expressions for node in ast.walk(expression))
    calls = [
        node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "requirement"
    ]
    return tuple(_literal(argument, place) for call in calls for argument in call.args)


def _literal(argument: ast.expr, place: str) -> str:
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        return argument.value
    raise ManifestError(f"{place}:{argument.lineno}: a requirement's id is written as a string, got `{ast.unparse(argument)}`")


def marks_of(root: Path) -> list[Mark]:
    """Every mark in the repository's tests and in the conformance suite that it ships."""
    files = sorted(path for pattern in TESTED for path in root.glob(pattern))
    return [mark for path in files for mark in marks_in(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix())]


def state_of(requirement: Requirement, tests: int) -> State:
    """Where a requirement stands, given how many tests show it."""
    if requirement.gap:
        return "gap"
    if not tests:
        return "missing"
    return "partial" if requirement.partial else "covered"


def problems(requirements: Mapping[str, Requirement], marks: Iterable[Mark]) -> list[str]:
    """Every disagreement of manifest and tests, in both directions, as sentences; none is the healthy answer."""
    marks = list(marks)
    tests = Counter(mark.id for mark in marks)
    found = [f"{mark.test} names {mark.id!r}, which the manifest does not have" for mark in marks if mark.id not in requirements]
    for requirement in requirements.values():
        count = tests[requirement.id]
        if requirement.gap and requirement.partial:
            found.append(f"{requirement.id} says both `gap` and `partial`: keep one")
        if requirement.gap and count:
            found.append(f"{requirement.id} is a gap and has {count} test(s): say what is missing in `partial`, or drop the gap")
        if not requirement.gap and not count:
            found.append(f"{requirement.id} has no test: write one, or say why not in `gap`")
    return found


def table(requirements: Mapping[str, Requirement], marks: Iterable[Mark]) -> list[str]:
    """The report's lines: one a requirement, its reason below it, and last how many are covered."""
    tests = Counter(mark.id for mark in marks)
    lines = [f"{'id':<4} {'state':<8} {'tests':>5}  behaviour"]
    covered = 0
    for requirement in requirements.values():
        state = state_of(requirement, tests[requirement.id])
        covered += state == "covered"
        lines.append(f"{requirement.id:<4} {state:<8} {tests[requirement.id]:>5}  {requirement.title}")
        if reason := requirement.gap or requirement.partial:
            lines.append(f"{'':<20}└ {reason}")
    return [*lines, f"{covered} of {len(requirements)} covered"]


def main() -> int:
    """Print the table; 1 when manifest and tests disagree, else 0."""
    requirements = read_manifest(MANIFEST.read_text(encoding="utf-8"))
    marks = marks_of(ROOT)
    wrong = problems(requirements, marks)
    for line in wrong:
        print(line, file=sys.stderr)
    print("\n".join(table(requirements, marks)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
