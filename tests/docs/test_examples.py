"""Every code block of the documentation runs, and says what its page says that it says."""

import pytest

from tests.docs.pages import every_page
from tests.docs.running import commands_of, run_console, run_python

PAGES = every_page()
KNOWN = {"python", "console", "text", "toml", "ts", "json", ""}


def having(language):
    return [pytest.param(page, id=page.name) for page in PAGES if any(b.language == language and not b.skipped for b in page.blocks)]


@pytest.mark.parametrize("page", having("python"))
def test_every_python_block_runs_and_says_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for claim in run_python(page):
        assert claim.holds or claim.got == claim.expected, f"{page.name}:{claim.first}"


@pytest.mark.parametrize("page", having("console"))
def test_every_command_runs_and_says_what_the_page_says(page, tmp_path):
    for claim in run_console(page, tmp_path):
        assert claim.holds or claim.got == claim.expected, f"{page.name}:{claim.first}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_block_is_of_a_known_sort_and_one_that_is_not_run_says_why(page):
    for block in page.blocks:
        assert block.language in KNOWN, f"{page.name}:{block.line}: {block.language}"
        if block.language == "console" and not block.skipped:
            assert commands_of(block), f"{page.name}:{block.line}: no line with `$ `"
        if block.language == "":
            assert "$ cued" not in block.text, f"{page.name}:{block.line}: a command that is not run"


def test_the_blocks_that_are_not_run_are_few():
    skipped = [f"{page.name}:{block.line}: {block.skipped}" for page in PAGES for block in page.blocks if block.skipped]
    assert len(skipped) <= 10, skipped
