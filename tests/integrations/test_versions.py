"""The versions that are named, pinned and installed agree, and no framework is imported before it is asked for."""

import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tools.frameworks import FRAMEWORKS
from tools.reference_frameworks import ADAPTERS

EXTRAS = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
PINNED = {adapter.extra: Requirement(EXTRAS[adapter.extra][0]) for adapter in ADAPTERS.values() if adapter.extra}
TRIED = {adapter.extra: adapter.tried.split(",")[0].split() for adapter in ADAPTERS.values() if adapter.extra}


@pytest.mark.parametrize("extra", PINNED)
def test_the_version_that_was_tried_is_within_the_range_that_is_pinned_and_so_is_the_one_that_is_installed(extra):
    wanted, (package, tried) = PINNED[extra], TRIED[extra]
    assert package == wanted.name
    assert wanted.specifier.contains(tried)
    assert {clause.operator for clause in wanted.specifier} == {">=", "<"}
    try:
        assert wanted.specifier.contains(version(wanted.name))
    except PackageNotFoundError:
        assert extra in {framework.extra for framework in FRAMEWORKS.values()}


def test_every_adapter_is_tried_in_every_run_or_by_make_frameworks():
    always = Requirement(next(line for line in EXTRAS["dev"] if line.startswith("cued[langgraph"))).extras
    assert always | {framework.extra for framework in FRAMEWORKS.values() if framework.extra} == PINNED.keys()


def test_importing_cued_imports_no_adapter_and_no_framework():
    found = "[name for name in sys.modules if 'integrations' in name or 'langchain' in name]"
    code = f"import sys, cued; cued.open().tenant('a').remember('x'); print({found})"
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
