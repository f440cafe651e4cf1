"""The wheel's build hook: what is compiled on a machine can be installed there."""

import runpy
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
from packaging.tags import mac_platforms

HOOK = Path(__file__).resolve().parents[2] / "hatch_build.py"


BUILT = """
import runpy, sys
from pathlib import Path
from types import ModuleType

interface = ModuleType("hatchling.builders.hooks.plugin.interface")
interface.BuildHookInterface = dict
sys.modules[interface.__name__] = interface
runpy.run_path(sys.argv[1])["_compiled"](Path.cwd())
"""


@pytest.fixture
def hook(monkeypatch):
    """The hook's names, without hatchling, which a build alone has."""
    interface = ModuleType("hatchling.builders.hooks.plugin.interface")
    interface.BuildHookInterface = dict
    monkeypatch.setitem(sys.modules, interface.__name__, interface)
    return runpy.run_path(str(HOOK))


@pytest.mark.parametrize("built_for", ["10.13", "11.0", "14", "14.6", "15.7.1"])
def test_a_wheel_is_tagged_as_an_installer_on_that_mac_knows_it(hook, monkeypatch, built_for):
    monkeypatch.setattr(sysconfig, "get_platform", lambda: f"macosx-{built_for}-x86_64")
    version = tuple(int(each) for each in (*built_for.split("."), "0")[:2])
    assert hook["_tag"]().endswith(f"-{next(mac_platforms(version, 'x86_64'))}")


def test_any_other_system_stands_in_the_tag_as_it_is(hook, monkeypatch):
    monkeypatch.setattr(sysconfig, "get_platform", lambda: "linux-x86_64")
    assert hook["_tag"]().endswith("-linux_x86_64")


@pytest.mark.skipif(sys.platform == "win32", reason="what is compiled there reads no CFLAGS")
def test_whatever_the_flags_are_the_process_keeps_its_smallest_numbers(hook, monkeypatch, tmp_path):
    if find_spec("setuptools") is None or shutil.which("cc") is None:
        pytest.skip("no setuptools or no compiler on this machine")
    monkeypatch.setenv("CFLAGS", "-Ofast -ffast-math")
    source = tmp_path / hook["SOURCE"]
    source.parent.mkdir(parents=True)
    shutil.copy(HOOK.parent / hook["SOURCE"], source)
    subprocess.run([sys.executable, "-c", BUILT, HOOK], cwd=tmp_path, capture_output=True, check=True)
    asked = [sys.executable, "-c", "import _kernels; least = 2.0**-1073; print(least / 2 > 0)"]
    assert subprocess.run(asked, cwd=source.parent, capture_output=True, text=True, check=True).stdout.strip() == "True"
