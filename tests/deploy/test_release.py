"""What is published is what was tested: one version, wheels that say what they are, and workflows that may do no more than they need."""

import json
import re
import tomllib
import zipfile
from importlib.metadata import distribution

import pytest

import cued
from tests.docs.pages import ROOT
from tools import release, sbom
from tools.pythons import supported

WORKFLOWS = ROOT / ".github" / "workflows"
METADATA = """Metadata-Version: 2.4
Name: {name}
Version: {version}
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Requires-Python: >=3.11
Description-Content-Type: text/markdown

Words.
"""


def wheel(folder, name, version, *, change=str, left_out=(), more=()):  # noqa: PLR0913 - each a way to be wrong
    package = f"{name}-{version}.dist-info"
    own = {"cued": "cued/policy/presets/cued.toml", "cued_minilm": "cued_minilm/data/model.onnx"}[name]
    files = [f"{name}/py.typed", own, f"{package}/licenses/LICENSE", f"{package}/licenses/NOTICE", *more]
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for each in files:
            if each not in left_out:
                archive.writestr(each, "")
        archive.writestr(f"{package}/METADATA", change(METADATA.format(name=name, version=version)))


def test_wheels_that_say_what_they_are_have_no_problem_and_others_are_named(tmp_path):
    model = tomllib.loads((ROOT / "packages/cued-minilm/pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert next(release.problems(tmp_path)).endswith("and there are []")
    wheel(tmp_path, "cued", cued.__version__)
    wheel(tmp_path, "cued_minilm", model)
    assert list(release.problems(tmp_path)) == []
    wheel(tmp_path, "cued", cued.__version__, change=lambda told: told.replace("Apache-2.0", "MIT").replace("License-File: NOTICE\n", ""))
    assert [each.partition(": ")[2] or each for each in release.problems(tmp_path)] == [
        "License-Expression is 'MIT', and should be 'Apache-2.0'",
        f"cued-{cued.__version__}-py3-none-any.whl lacks NOTICE",
    ]
    wheel(tmp_path, "cued", cued.__version__, left_out=["cued/py.typed", "cued/policy/presets/cued.toml"], more=["tests/x.py"])
    found = " ".join(release.problems(tmp_path))
    assert all(each in found for each in ("holds tests/x.py", "lacks cued/py.typed", "lacks cued/policy"))


def test_the_version_stands_in_one_place():
    assert release.stated_version() == cued.__version__
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert "version" not in project["project"]
    assert project["tool"]["hatch"]["version"]["path"] == "src/cued/__init__.py"


def test_a_bill_of_materials_names_every_package_with_its_licence_and_what_it_needs():
    told = sbom.bill("cued")
    assert (told["bomFormat"], told["specVersion"], told["metadata"]["component"]["name"]) == ("CycloneDX", "1.6", "cued")
    assert re.fullmatch(r"urn:uuid:[0-9a-f-]{36}", told["serialNumber"])
    refs = [each["bom-ref"] for each in told["components"]]
    assert len(set(refs)) == len(refs)
    needs = {edge["ref"]: edge["dependsOn"] for edge in told["dependencies"]}
    assert set(needs) == {*refs, told["metadata"]["component"]["bom-ref"]}
    assert all(set(each) <= set(needs) for each in needs.values())
    named = {each["name"].lower() for each in told["components"]}
    assert {"apsw", "click", "msgspec", "numpy", "rich"} <= named
    assert all(each["licenses"] for each in told["components"])
    assert sbom.bill("cued") == json.loads(json.dumps(told))


def test_a_licence_is_read_however_it_is_stated():
    assert "MIT" in sbom.licence(distribution("rich"))
    assert all(sbom.FREE.search(each) for each in ("Apache-2.0", "BSD-3-Clause AND MIT", "Mozilla Public License 2.0 (MPL 2.0)", "any-OSI"))
    assert not any(sbom.FREE.search(each) for each in ("", "Proprietary", "GPL-3.0-only", "submit your own"))


def test_the_matrix_has_every_python_that_the_package_names_on_every_system():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    told = yaml.safe_load((WORKFLOWS / "test.yml").read_text("utf-8"))
    matrix = told["jobs"]["suite"]["strategy"]["matrix"]
    assert matrix["python"] == supported()
    assert matrix["system"] == ["ubuntu-latest", "macos-latest", "windows-latest"]


def test_a_workflow_may_only_read_but_for_what_publishes_and_no_secret_is_named():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    for path in WORKFLOWS.glob("*.yml"):
        text = path.read_text("utf-8")
        told = yaml.safe_load(text)
        assert told["permissions"] == {"contents": "read"}
        assert "secrets." not in text
        assert {name: job["permissions"] for name, job in told["jobs"].items() if "permissions" in job} == (
            {"publish": {"id-token": "write"}, "attach": {"contents": "write"}} if path.name == "release.yml" else {}
        )
        targets = set(re.findall(r"make ([a-z ]+)$", text, re.MULTILINE))
        known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
        assert {each for target in targets for each in target.split()} <= known


def test_what_a_workflow_uses_of_others_is_one_commit_and_not_whatever_a_tag_means_by_then():
    used = [
        line.partition("uses:")[2].strip()
        for path in WORKFLOWS.glob("*.yml")
        for line in path.read_text("utf-8").splitlines()
        if "uses:" in line
    ]
    others = [each for each in used if not each.startswith("./")]
    assert len(others) > 5
    assert [each for each in others if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", each)] == []
