"""The wheels that were built, checked and tried: `python -m tools.release dist`, after `make dist` has built them.

What a wheel says of itself is read from the wheel. Then both are installed into a new environment, with every extra that a user of one
machine needs, and tried there surface by surface; what that environment is made of becomes the bill of materials beside them.
"""

import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from email.message import Message
from email.parser import Parser
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = "minilm,server,mcp"
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


def problems(folder: Path) -> Iterator[str]:
    """What is wrong with the wheels in a folder, a line each."""
    wheels = {wheel.name.partition("-")[0]: wheel for wheel in folder.glob("*.whl")}
    if sorted(wheels) != ["cued", "cued_minilm"]:
        yield f"{folder}: one wheel of cued and one of cued_minilm, and there are {sorted(wheels)}"
        return
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    model = tomllib.loads((ROOT / "packages/cued-minilm/pyproject.toml").read_text("utf-8"))["project"]
    yield from _problems_of(wheels["cued"], stated_version(), marker="cued/py.typed")
    yield from _problems_of(wheels["cued_minilm"], model["version"], marker="cued_minilm/py.typed")
    (wanted,) = (Requirement(each) for each in project["optional-dependencies"]["minilm"])
    if model["version"] not in wanted.specifier:
        yield f"cued-minilm is {model['version']}, and cued[minilm] wants {wanted.specifier}"
    for name, own in (("cued", "cued/policy/presets/cued.toml"), ("cued_minilm", "cued_minilm/data/")):
        if not any(each.startswith(own) for each in zipfile.ZipFile(wheels[name]).namelist()):
            yield f"{wheels[name].name} lacks {own}"


def stated_version() -> str:
    """The version of the package, which stands in its face and nowhere else."""
    (found,) = _VERSION.findall((ROOT / "src/cued/__init__.py").read_text("utf-8"))
    return str(found)


def _problems_of(wheel: Path, version: str, *, marker: str) -> Iterator[str]:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        told = _metadata(archive)
    wanted = {"Version": version, "License-Expression": "Apache-2.0", "Description-Content-Type": "text/markdown"}
    yield from (f"{wheel.name}: {key} is {told[key]!r}, and should be {value!r}" for key, value in wanted.items() if told[key] != value)
    for licence in ("LICENSE", "NOTICE"):
        if licence not in (told.get_all("License-File") or ()) or not any(name.endswith(f"licenses/{licence}") for name in names):
            yield f"{wheel.name} lacks {licence}"
    if ">=3.11" not in (told["Requires-Python"] or "").split(","):
        yield f"{wheel.name}: Requires-Python is {told['Requires-Python']!r}"
    package = marker.partition("/")[0]
    strangers = [name for name in names if name.partition("/")[0] not in {package, f"{package}-{version}.dist-info"}]
    yield from (f"{wheel.name} holds {name}, which is not the package's" for name in strangers)
    if marker not in names:
        yield f"{wheel.name} lacks {marker}: its types would not be seen"


def _metadata(archive: zipfile.ZipFile) -> Message:
    (name,) = (each for each in archive.namelist() if each.endswith(".dist-info/METADATA"))
    return Parser().parsestr(archive.read(name).decode("utf-8"))


def tried(folder: Path) -> None:
    """Install the wheels into a new environment, try every surface there, and write what it is made of."""
    with tempfile.TemporaryDirectory(prefix="cued-dist-", ignore_cleanup_errors=True) as made:
        subprocess.run([sys.executable, "-m", "venv", made], check=True)  # noqa: S603 - our own Python
        python = next(path for path in (Path(made, "bin", "python"), Path(made, "Scripts", "python.exe")) if path.exists())
        pip = [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        (wheel,), (model,) = folder.glob("cued-*.whl"), folder.glob("cued_minilm-*.whl")
        subprocess.run([*pip, model, f"{wheel}[{EXTRAS}]"], check=True)  # noqa: S603 - our own wheels
        for script, *words in (("smoke.py",), ("sbom.py", str(folder.resolve() / "cued.cdx.json"))):
            subprocess.run([python, "-I", ROOT / "tools" / script, *words], check=True, cwd=made)  # noqa: S603 - our own scripts


def main(folder: str) -> None:
    """Check, then try."""
    found = list(problems(Path(folder)))
    if found:
        sys.exit("\n".join(found))
    tried(Path(folder))
    print(f"{stated_version()} is ready in {folder}")


if __name__ == "__main__":
    main(*sys.argv[1:])
