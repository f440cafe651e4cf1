"""The adapters of the larger frameworks, each tried in an environment of its own; one that cannot be installed is passed over with a word.

Run it as `make frameworks`, or `python -m tools.frameworks NAME …` for some of them.
"""

import subprocess
import sys
import venv
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / ".venv" / "frameworks"
NEEDED = ("pytest>=9.0", "hypothesis>=6.140")


class Framework(NamedTuple):
    """An extra of Cued's if it has one, which tests are its, what else they need, and how pytest runs them."""

    extra: str
    tests: tuple[str, ...]
    also: tuple[str, ...] = ()
    options: tuple[str, ...] = ()


_SHARED = ("test_one_conversation.py", "test_examples_run.py")
FRAMEWORKS = {
    "claude": Framework("claude", ("test_claude.py", "test_memory_files.py", *_SHARED)),
    "llama_index": Framework("llama-index", ("test_llama_index.py", *_SHARED)),
    "google_adk": Framework("google-adk", ("test_google_adk.py", *_SHARED)),
    "crewai": Framework("crewai", ("test_crewai.py", *_SHARED)),
    "agent_framework": Framework("agent-framework", ("test_agent_framework.py", *_SHARED)),
    "strands": Framework("strands", ("test_strands.py", *_SHARED)),
    "mem0": Framework("", ("test_mem0_same.py", "test_mem0.py"), also=("mem0ai>=2.2,<3",)),
    "langchain": Framework(
        "langchain", ("test_langchain_standard.py",), also=("langchain-tests>=1.1",), options=("-o", "asyncio_mode=auto")
    ),
}


def main(names: list[str]) -> int:
    """1 where the tests of a framework fail, 0 otherwise."""
    unknown = [name for name in names if name not in FRAMEWORKS]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; known: {', '.join(FRAMEWORKS)}", file=sys.stderr)
        return 2
    results = {name: _tried(name, FRAMEWORKS[name]) for name in names or FRAMEWORKS}
    for name, word in results.items():
        print(f"{name:18} {word}")
    return int("failed" in results.values())


def _tried(name: str, framework: Framework) -> str:
    folder = HOME / name
    if not _installed(folder, framework):
        return "passed over: it cannot be installed here"
    tests = [str(ROOT / "tests" / "integrations" / test) for test in framework.tests]
    # What a framework warns of in its own code is its own matter.
    command = [
        _python(folder),
        "-m",
        "pytest",
        "-q",
        "-W",
        "default",
        "-p",
        "no:cacheprovider",
        "-k",
        _chosen(name),
        *framework.options,
        *tests,
    ]
    return "passed" if subprocess.run(command, cwd=ROOT, check=False).returncode == 0 else "failed"  # noqa: S603 - our own command


def _chosen(name: str) -> str:
    """Of the tests that all frameworks share, those of this one; all of its own."""
    return f"{name} or not (one_conversation or examples_run)"


def _installed(folder: Path, framework: Framework) -> bool:
    if not folder.is_dir():
        print(f"making {folder.relative_to(ROOT)}")
        venv.create(folder, with_pip=True)
    wheels = map(str, (ROOT / ".venv" / "wheels").glob("*.whl"))
    wanted = [*wheels, "--editable", f"{ROOT}[{framework.extra}]" if framework.extra else str(ROOT), *NEEDED, *framework.also]
    command = [_python(folder), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", *wanted]
    return subprocess.run(command, cwd=ROOT, check=False).returncode == 0  # noqa: S603 - our own command


def _python(folder: Path) -> str:
    return str(folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
