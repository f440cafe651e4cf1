"""The wheel's build hook: what is compiled on a machine can be installed there."""

import runpy
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

import pytest
from packaging.tags import mac_platforms

HOOK = Path(__file__).resolve().parents[2] / "hatch_build.py"


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
