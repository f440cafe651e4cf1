"""Which other Pythons the checks run on."""

import re
import sys
import tomllib

import pytest

from tools.pythons import ROOT, found, supported

OWN = "{}.{}".format(*sys.version_info)
posix = pytest.mark.skipif(sys.platform == "win32", reason="a shim is a script")


@pytest.fixture
def machine(monkeypatch, tmp_path):
    """A machine whose PATH is one folder, and where pyenv keeps nothing."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    return tmp_path


def python(path, does):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)
    return str(path)


def test_the_versions_are_those_that_the_package_may_be_installed_on():
    least, below = re.findall(r"3\.(\d+)", tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"])
    assert supported() == [f"3.{minor}" for minor in range(int(least), int(below))]


@posix
def test_a_shim_that_does_not_run_is_passed_over_for_what_pyenv_keeps(machine):
    python(machine / f"python{OWN}", "exit 127")
    assert found(OWN) is None
    kept = python(machine / "pyenv" / "versions" / f"{OWN}.1" / "bin" / "python", f'exec {sys.executable} "$@"')
    assert found(OWN) == kept


@posix
def test_a_python_of_another_version_than_its_name_says_is_none(machine):
    python(machine / "python3.99", f'exec {sys.executable} "$@"')
    assert found("3.99") is None
