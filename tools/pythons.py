"""The other Pythons that Cued supports and this machine has, a line each: `3.12 /path/to/python`. What is absent is told on stderr.

A Python that is named on the PATH but does not run, as a shim of pyenv may, is passed over; those that pyenv keeps are found either way.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")
_ASKED = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"


def supported() -> list[str]:
    """The versions that the package's classifiers name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [match[1] for each in project["classifiers"] if (match := _CLASSIFIER.fullmatch(each))]


def found(version: str) -> str | None:
    """A Python of this version that runs and can make environments, if there is one."""
    return next((path for path in _candidates(version) if _runs(path, version)), None)


def _candidates(version: str) -> Iterator[str]:
    for folder in os.get_exec_path():
        if named := shutil.which(f"python{version}", path=folder):
            yield named
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    yield from map(str, sorted(root.glob(f"versions/{version}.*/bin/python"), reverse=True))


def _runs(path: str, version: str) -> bool:
    asked = subprocess.run([path, "-c", _ASKED], capture_output=True, text=True, check=False)  # noqa: S603 - a Python of this machine
    return asked.returncode == 0 and asked.stdout.strip() == version


def main() -> None:
    """Print each other Python; on stderr, which are not here."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    for version in supported():
        path = found(version) if version != own else None
        if path is not None:
            print(version, path)
        elif version != own:
            print(f"skipped: no Python {version} on this machine", file=sys.stderr)


if __name__ == "__main__":
    main()
