"""The house stays readable: small modules, small folders, docstrings that begin with what comes back, and one name for one thing."""

import ast
from collections import defaultdict
from importlib import import_module
from pathlib import Path

import pytest

from tools.reference_layout import walked

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "cued"
MODULES = sorted(path for folder in ("src", "tools", "bench", "training", "packages") for path in (ROOT / folder).rglob("*.py"))
MOST_LINES = 400
MOST_MODULES = 20
MOST_PASSED = {"recall": (84, 94), "remember": (62, 69)}
"""How many modules a command may pass on its way, and how often it may change rooms; more is a reason to look."""
SAME_TOPIC = {
    "cue": "the request of a recall, and the stage that reads its words",
    "log": "its nouns, and its statements in SQL",
    "memory": "the noun, and the keeper in memory",
    "upkeep": "the requests, and the verbs of the handle",
}
"""Names that two modules share because they are two sides of one thing."""

SAME_CLASS = {
    "Beside": "a policy beside another, and a time beside an event",
    "Change": "of a memory, and of a policy's setting",
    "Counted": "recalls, and a cue's foreign words",
    "Lexicon": "of claims, and of times",
    "Memory": "the noun, and mem0's name for a store",
    "Remembered": "what `remember` answers, and what was worked out of a word",
    "Store": "the port, and the one that there is",
}
"""Names that classes of two modules share, and nobody takes one for the other: they are in the reference, or far from each other."""

IN_SCHEMAS = PACKAGE / "surfaces" / "mcp"
"""Where the names of classes are those of a protocol's answers: clients read them in the schemas of the tools."""

NAMED_AFTER_OTHERS = (
    PACKAGE / "surfaces" / "cli",
    PACKAGE / "surfaces" / "inspector" / "pages",
    PACKAGE / "conformance",
    PACKAGE / "stores" / "keepers" / "postgres",
)
"""Folders whose modules are named after the command or page that they are, what they hold to its contract, or as SQLite's parts are."""


def docstrings(path):
    """Every docstring of a module, with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text is not None:
                yield node.body[0].lineno, text


def shared_names(paths):
    """The modules of each name that several have."""
    named = defaultdict(list)
    for path in paths:
        if path.stem not in ("__init__", "__main__") and not any(path.is_relative_to(folder) for folder in NAMED_AFTER_OTHERS):
            named[path.stem].append(path)
    return {name: found for name, found in named.items() if len(found) > 1}


def test_no_module_is_long():
    lengths = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: lines for path, lines in lengths.items() if lines > MOST_LINES} == {}


def test_no_folder_is_full():
    folders = defaultdict(list)
    for path in MODULES:
        folders[str(path.parent.relative_to(ROOT))].append(path.name)
    assert {folder: len(names) for folder, names in folders.items() if len(names) > MOST_MODULES} == {}


@pytest.mark.parametrize("start", ["Give ", "Gives ", "Tell whether ", "Return "])
def test_docstrings_begin_with_what_comes_back(start):
    wrong = [f"{path.relative_to(ROOT)}:{line}" for path in MODULES for line, text in docstrings(path) if text.startswith(start)]
    assert wrong == []


def test_no_two_modules_of_the_package_share_a_name():
    assert shared_names(path for path in MODULES if path.is_relative_to(PACKAGE)).keys() == SAME_TOPIC.keys()


def test_no_two_modules_of_the_package_share_a_class_s_name():
    homes = defaultdict(list)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not path.is_relative_to(IN_SCHEMAS):
                homes[node.name].append(path.relative_to(PACKAGE))
    assert {name for name, found in homes.items() if len(found) > 1} == SAME_CLASS.keys()


@pytest.mark.parametrize("command", MOST_PASSED)
def test_a_command_passes_few_modules_and_changes_rooms_seldom(command):
    walk, (modules, changes) = walked(command), MOST_PASSED[command]
    assert len(walk.modules) <= modules
    assert walk.changes <= changes


def test_what_a_package_says_it_offers_is_there():
    packages = [path.parent for path in PACKAGE.rglob("__init__.py") if "integrations" not in path.parts]
    offering = [import_module(".".join(folder.relative_to(PACKAGE.parent).parts)) for folder in packages]
    missing = {module.__name__: [name for name in getattr(module, "__all__", ()) if not hasattr(module, name)] for module in offering}
    assert {module: names for module, names in missing.items() if names} == {}
