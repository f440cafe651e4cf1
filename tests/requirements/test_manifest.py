"""The manifest of required behaviours and the tests that show them agree, in both directions."""

import os
import re
from pathlib import Path

import pytest

from tools.requirements import (
    MANIFEST,
    ROOT,
    ManifestError,
    Mark,
    Requirement,
    marks_in,
    marks_of,
    problems,
    read_manifest,
    state_of,
    table,
)

NOTES = Path(os.environ.get("CUED_DATA", ROOT / ".." / "shared" / "data")).parent / "REQUIREMENTS.md"


def manifest_of(*requirements):
    return {requirement.id: requirement for requirement in requirements}


def test_every_behaviour_has_a_test_or_says_why_not_and_no_test_names_an_unknown_one():
    assert problems(read_manifest(MANIFEST.read_text(encoding="utf-8")), marks_of(ROOT)) == []


def test_the_manifest_lists_exactly_the_behaviours_that_were_asked_for():
    if not NOTES.is_file():
        pytest.skip(f"the list of behaviours is not at {NOTES}; set CUED_DATA to the data folder beside it")
    asked = set(re.findall(r"\b[RMFPSX][1-9]\d?\b", NOTES.read_text(encoding="utf-8")))
    assert set(read_manifest(MANIFEST.read_text(encoding="utf-8"))) == asked


def test_a_test_that_names_an_unknown_behaviour_is_a_problem():
    assert problems({}, [Mark("Z9", "test_x.py::test_it")]) == ["test_x.py::test_it names 'Z9', which the manifest does not have"]


def test_a_behaviour_with_neither_test_nor_gap_is_a_problem():
    assert problems(manifest_of(Requirement("R1", "one")), []) == ["R1 has no test: write one, or say why not in `gap`"]


def test_a_gap_without_a_test_and_a_partial_with_one_are_no_problem():
    requirements = manifest_of(Requirement("R1", "one", gap="later"), Requirement("R2", "two", partial="half"))
    assert problems(requirements, [Mark("R2", "test_x.py::test_it")]) == []


def test_a_gap_that_a_test_shows_is_a_problem():
    (problem,) = problems(manifest_of(Requirement("R1", "one", gap="later")), [Mark("R1", "test_x.py::test_it")])
    assert problem.startswith("R1 is a gap and has 1 test(s)")


def test_a_partial_behaviour_still_needs_a_test():
    requirement = Requirement("R1", "one", partial="half")
    assert problems(manifest_of(requirement), []) == ["R1 has no test: write one, or say why not in `gap`"]
    assert state_of(requirement, 0) == "missing"


def test_gap_and_partial_together_are_a_problem():
    assert problems(manifest_of(Requirement("R1", "one", gap="later", partial="half")), []) == [
        "R1 says both `gap` and `partial`: keep one"
    ]


def test_marks_are_found_on_functions_on_classes_and_on_the_module():
    source = """
pytestmark = [pytest.mark.slow, pytest.mark.requirement("R1")]

@pytest.mark.requirement("R2", "R3")
def test_a(): ...

class TestStore:
    @pytest.mark.requirement("R4")
    def test_b(self): ...

@pytest.mark.requirement("R5")
class TestOther:
    def test_c(self): ...

@pytest.mark.requirement("R6")
def not_collected(): ...
"""
    assert list(marks_in(source, "m.py")) == [
        Mark("R1", "m.py::test_a"),
        Mark("R2", "m.py::test_a"),
        Mark("R3", "m.py::test_a"),
        Mark("R1", "m.py::TestStore::test_b"),
        Mark("R4", "m.py::TestStore::test_b"),
        Mark("R1", "m.py::TestOther::test_c"),
        Mark("R5", "m.py::TestOther::test_c"),
    ]


def test_marks_on_one_case_of_a_parametrised_test_count():
    source = '@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.requirement("R7"))])\ndef test_a(x): ...'
    assert list(marks_in(source, "m.py")) == [Mark("R7", "m.py::test_a")]


def test_an_id_that_is_not_written_as_a_string_is_refused_with_its_place():
    with pytest.raises(ManifestError, match=r"m\.py:1: .* got `NAME`"):
        list(marks_in("@pytest.mark.requirement(NAME)\ndef test_a(): ...", "m.py"))


@pytest.mark.parametrize("entry", ['R1 = { gap = "later" }', 'R1 = { title = "one", gaps = "later" }', 'R1 = { title = "one", gap = " " }'])
def test_a_manifest_entry_without_title_with_an_unknown_field_or_an_empty_reason_is_refused(entry):
    with pytest.raises(ManifestError, match="R1"):
        read_manifest(entry)


def test_the_table_counts_only_what_is_covered_in_full():
    requirements = manifest_of(Requirement("R1", "one"), Requirement("R2", "two", partial="half"), Requirement("R3", "three", gap="later"))
    lines = table(requirements, [Mark("R1", "t"), Mark("R1", "u"), Mark("R2", "t")])
    assert lines[1].split() == ["R1", "covered", "2", "one"]
    assert lines[-1] == "1 of 3 covered"
