"""The documentation is whole: one word everywhere, a page for each thing that there is, links that lead somewhere, a current reference."""

import html
import re
import tomllib
from typing import get_args

import pytest

import cued
from cued import errors, flow
from cued.model.words import Gate
from cued.policy import presets
from cued.policy.spec import Policy
from cued.surfaces.cli.root import COMMANDS
from tests.docs.pages import ROOT, page_at
from tests.docs.running import Said
from tools import picture
from tools.reference import pages, stale

DOCS = ROOT / "docs"
STAGES = ("cue", *(stage.__name__.rpartition(".")[2] for stage in flow.ORDER), "settle")
WITHOUT_A_TABLE = {"cue"}
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#+ (?P<text>.+?)\s*$", re.MULTILINE)
_GENERATED = re.compile(r"<!-- generated: [^\n]+? -->\n.*?<!-- /generated -->", re.DOTALL)
_LINE = 160
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def anchors(text):
    """Give a page's anchors, made from its headings as GitHub makes them."""
    headings = (match["text"] for match in _HEADING.finditer(_FENCED.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def prose(path):
    return _FENCED.sub("", path.read_text("utf-8"))


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_has_one_word_for_its_module_its_table_its_page_and_its_tests(stage):
    assert hasattr(flow, stage) or (ROOT / "src" / "cued" / "flow" / f"{stage}.py").is_file()
    assert (stage in Policy.__struct_fields__) is (stage not in WITHOUT_A_TABLE)
    assert (ROOT / "tests" / "flow" / f"test_{stage}.py").is_file()
    page = (DOCS / "flow" / f"{stage}.md").read_text("utf-8")
    assert page.startswith(f"# {stage}\n")
    if stage not in WITHOUT_A_TABLE:
        assert f"[{stage}]" in page or f"<!-- generated: knobs {stage} -->" in page


def test_every_table_of_a_policy_is_explained_on_a_page_of_the_flow():
    explained = "".join(page.read_text("utf-8") for page in (DOCS / "flow").glob("*.md"))
    for name in set(Policy.__struct_fields__) - {"name", "source", "about"}:
        assert f"<!-- generated: knobs {name} -->" in explained


@pytest.mark.parametrize("preset", presets.names())
def test_every_preset_has_a_page_with_its_file_on_it(preset):
    page = (DOCS / "presets" / f"{preset}.md").read_text("utf-8")
    assert page.startswith(f"# {preset}\n")
    assert f"<!-- generated: preset {preset} -->" in page


def test_every_preset_is_named_in_the_readme():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [name for name in presets.names() if f"`{name}`" not in readme] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_named_and_shown_in_the_page_on_the_command_line(command):
    assert f"cued {command}" in (DOCS / "cli.md").read_text("utf-8")
    assert f"`cued {command}`" in (DOCS / "reference" / "cli.md").read_text("utf-8")


@pytest.mark.parametrize("name", cued.__all__)
def test_every_public_name_is_in_the_reference(name):
    assert f"### `cued.{name}`" in (DOCS / "reference" / "python.md").read_text("utf-8")


def test_the_reference_is_what_the_code_says_now():
    assert [page.relative_to(ROOT).as_posix() for page in stale()] == [], "bring them up to date with: make docs"


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_begins_with_its_name_and_what_it_is_for_and_its_lines_can_be_read(path):
    written = _GENERATED.sub("", path.read_text("utf-8"))
    head, _, rest = written.partition("\n\n")
    assert re.fullmatch(r"# .+", head), "a page begins with its name"
    assert re.match(r"[^#|]", re.sub(r"\A(?:<!--.*?-->\s*)+", "", rest, flags=re.DOTALL)), "then says what it is for"
    if "reference" not in path.parts:
        long = [line[:60] for line in _FENCED.sub("", written).splitlines() if len(line) > _LINE and not line.startswith(("|", "!["))]
        assert long == [], f"lines of at most {_LINE} characters"


def test_every_column_that_a_calibration_weighs_is_on_the_page_of_relevance():
    page = (DOCS / "flow" / "relevance.md").read_text("utf-8")
    calibrations = (ROOT / "src" / "cued" / "policy" / "calibration").glob("*.toml")
    weighed = {name for each in calibrations for name in tomllib.loads(each.read_text("utf-8"))["weights"]}
    assert [name for name in sorted(weighed) if f"| `{name}` |" not in page] == []


def test_every_gate_is_on_the_page_of_gather():
    page = (DOCS / "flow" / "gather.md").read_text("utf-8").partition("## Gates")[2].partition("## In the policy")[0]
    assert [gate for gate in get_args(Gate) if f"`{gate}`" not in page] == []


def test_every_extra_that_is_no_framework_is_told_of_in_the_quickstart():
    page = (DOCS / "quickstart.md").read_text("utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    adapters = {path.stem.replace("_", "-") for path in (ROOT / "src" / "cued" / "integrations").iterdir()}
    extras = set(project["optional-dependencies"]) - adapters - {"dev"}
    assert {"minilm", "server", "mcp"} <= extras
    assert [name for name in sorted(extras) if f"| `{name}` |" not in page] == []


def test_the_glossary_has_each_word_once():
    words = re.findall(r"^\| \*\*(.+?)\*\* \|", (DOCS / "glossary.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(words) == sorted(set(words))


def test_every_make_target_that_a_page_names_is_there():
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {name for path in pages() for name in re.findall(r"(?:`|^\$ )make ([a-z]+)", path.read_text("utf-8"), re.MULTILINE)}
    assert {"run", "test"} <= named <= targets


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_page_and_a_heading_that_are_there(path):
    for match in _LINK.finditer(prose(path)):
        target, _, anchor = match["target"].partition("#")
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        page = (path.parent / target).resolve() if target else path
        assert page.exists(), f"{path.name}: {match['target']}"
        assert not anchor or anchor in anchors(page.read_text("utf-8")), f"{path.name}: {match['target']}"


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_page_but_the_readme_can_be_reached_from_another(path):
    linked = {
        (page.parent / match["target"].partition("#")[0]).resolve()
        for page in pages()
        if page != path
        for match in _LINK.finditer(page.read_text("utf-8"))
        if not match["target"].startswith("http")
    }
    assert path.name == "README.md" or path.resolve() in linked


@pytest.mark.requirement("R25")
def test_the_names_that_the_sources_use_are_told_beside_ours():
    page = (DOCS / "sources.md").read_text("utf-8")
    for theirs in ("search_memories", "inspect_memories", "get_memory_stats", "mem_search", "mem_why", "mem_timeline"):
        assert f"`{theirs}`" in page
    for ours in ("recall", "list", "stats"):
        assert callable(getattr(cued.Tenant, ours))


@pytest.mark.requirement("R22")
def test_the_page_on_the_block_shows_one_that_says_where_it_belongs():
    (shown,) = (block.text for block in page_at(DOCS / "flow" / "render.md").blocks if block.language == "text")
    assert "Place them before the history, near the start" in shown.splitlines()[0]


def test_every_picture_is_shown_on_a_page():
    shown = "".join(path.read_text("utf-8") for path in pages())
    assert [path.name for path in sorted((DOCS / "images").iterdir()) if f"images/{path.name})" not in shown] == []


def test_every_error_has_a_line_that_says_what_to_do():
    page = (DOCS / "errors.md").read_text("utf-8").partition("What to do about each:")[2].partition("```")[0]
    raised = [name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.CuedError)]
    assert len(raised) > 15
    assert [name for name in raised if name not in {"CuedError", "StoreError"} and f"`{name}`" not in page] == []


def test_the_pictures_show_what_cued_says_now_and_fetch_nothing():
    for name, now in picture.pictures().items():
        drawn = (picture.IMAGES / name).read_text("utf-8")
        assert set(re.findall(r"https?://[^\s\"')]+", drawn)) == {"http://www.w3.org/2000/svg"}
        shown = Said(1, 1, said_in(drawn), said_in(now), "", tolerance=0.02)
        assert shown.holds, f"{name}: draw it anew with: python -m tools.picture"
    assert said_in((picture.IMAGES / "cued.svg").read_text("utf-8")).count("$ cued") == len(picture.SCENES)


def said_in(drawn):
    """The words of a drawing, without where they stand in it."""
    words = re.findall(r"<text [^>]*>(.*?)</text>", drawn, re.DOTALL)
    return " ".join(html.unescape(" ".join(words)).replace("\xa0", " ").split())


def test_the_first_screen_has_three_ways_in_and_five_reasons_whose_numbers_are_in_the_tables():
    readme = (ROOT / "README.md").read_text("utf-8")
    first, _, _ = readme.partition("## Try it")
    assert all(way in first for way in ("**In Python**", "**In your agent's client**", "**Over HTTP**"))
    lines = first.partition("<!-- generated: reasons -->")[2]
    assert len(re.findall(r"^- \*\*It ", lines, re.MULTILINE)) == 5
    tables = (DOCS / "speed.md").read_text("utf-8") + (DOCS / "quality.md").read_text("utf-8")
    measured = re.findall(r"(\d[\d.,]*\d) (?:%|ms|KiB|memories a second)", lines)
    assert len(measured) == 7
    assert all(f" {number} " in tables for number in measured)
