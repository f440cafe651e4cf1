"""Claude's memory tool: the commands, the path rules and the exact words, over memories."""

import time

import pytest

from cued.integrations.claude import MemoryFiles
from cued.integrations.claude.memory_files import resolved

SECONDS = 2
"""Many times what it takes, on a busy machine."""


@pytest.fixture
def files(memories):
    return MemoryFiles(memories.tenant("ada"))


def refused(call, *arguments):
    with pytest.raises(ValueError, match=r".") as caught:
        call(*arguments)
    return str(caught.value)


def test_an_empty_root_is_there_from_the_start(files):
    assert files.view("/memories") == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n0B\t/memories"
    )


def test_a_file_is_created_and_read_line_by_line(files):
    assert files.create("/memories/notes.md", "one\ntwo\n") == "File created successfully at: /memories/notes.md"
    assert files.view("/memories/notes.md") == (
        "Here's the content of /memories/notes.md with line numbers:\n     1\tone\n     2\ttwo\n     3\t"
    )
    assert refused(files.create, "/memories/notes.md", "x") == "File /memories/notes.md already exists"
    assert files.read("/memories/notes.md") == "one\ntwo\n"


@pytest.mark.parametrize(
    ("span", "shown"),
    [([2, 3], "     2\tb\n     3\tc"), ([3, -1], "     3\tc\n     4\td"), ([0, 1], "     1\ta"), ([9, 10], ""), ([2], None)],
)
def test_a_range_of_lines_is_shown(files, span, shown):
    files.create("/memories/f", "a\nb\nc\nd")
    whole = "     1\ta\n     2\tb\n     3\tc\n     4\td"
    assert files.view("/memories/f", span) == "Here's the content of /memories/f with line numbers:\n" + (whole if shown is None else shown)


@pytest.mark.parametrize(
    "content", ["", " \n\t", "\x00", "a\r\nb\r", "\ud800", "ü" * 70_000, "x" * 49_999 + "é\n" * 60_000, "\n" * 120_000]
)
def test_any_content_comes_back_exactly(files, content):
    files.create("/memories/f", content)
    assert files.read("/memories/f") == content
    files.insert("/memories/f", 0, "first")
    assert files.read("/memories/f").startswith("first\n")


def test_a_folder_shows_sizes_two_levels_and_nothing_hidden(files):
    files.create("/memories/b.txt", "x" * 1536)
    files.create("/memories/a/one.txt", "hello")
    files.create("/memories/a/deep/er/two.txt", "hello")
    files.create("/memories/.hidden/three.txt", "hello")
    files.create("/memories/a/.four", "hello")
    assert files.view("/memories").split("\n")[1:] == [
        "1.5K\t/memories",
        "15B\t/memories/a/",
        "5B\t/memories/a/deep/",
        "5B\t/memories/a/one.txt",
        "1.5K\t/memories/b.txt",
    ]
    assert files.view("/memories/a/deep").split("\n")[1:] == [
        "5B\t/memories/a/deep",
        "5B\t/memories/a/deep/er/",
        "5B\t/memories/a/deep/er/two.txt",
    ]


def test_a_text_is_replaced_where_it_stands_once(files):
    files.create("/memories/f", "1\n2\n3\nold\n5\n6\n7")
    assert files.str_replace("/memories/f", "old", "new\nnewer") == (
        "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
        "     2\t2\n     3\t3\n     4\tnew\n     5\tnewer\n     6\t5"
    )
    assert refused(files.str_replace, "/memories/f", "gone", "x") == (
        "No replacement was performed, old_str `gone` did not appear verbatim in /memories/f."
    )
    files.create("/memories/g", "a b\na\n")
    assert refused(files.str_replace, "/memories/g", "a", "x") == (
        "No replacement was performed. Multiple occurrences of old_str `a` in lines: 1, 2. Please ensure it is unique"
    )
    files.str_replace("/memories/g", " b", "")
    assert files.read("/memories/g") == "a\na\n"


def test_a_text_that_stands_very_often_is_refused_in_the_time_that_reading_it_takes(files):
    files.create("/memories/f", "ab\n" * 150_000)
    started = time.process_time()
    assert refused(files.str_replace, "/memories/f", "a", "c").endswith("149999, 150000. Please ensure it is unique")
    assert time.process_time() - started < SECONDS


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("view", [["one", "two"]]),
        ("view", [3]),
        ("create", [["a text"]]),
        ("create", [{}]),
        ("str_replace", [None, "b"]),
        ("str_replace", ["a", 3]),
        ("insert", ["1", "b"]),
        ("insert", [1, None]),
    ],
)
def test_what_a_model_says_in_another_type_is_refused_in_words_and_changes_nothing(files, command, said):
    files.create("/memories/f", "a\n")
    place = "/memories/g" if command == "create" else "/memories/f"
    assert "Invalid `" in refused(getattr(files, command), place, *said)
    assert (files.read("/memories/f"), list(files.paths())) == ("a\n", ["/memories/f"])


def test_a_memory_that_only_says_that_it_is_a_file_of_ours_is_none(files, memories):
    files.create("/memories/f", "a")
    memories.tenant("ada", trust="tool").remember("A harmless note.", id="note", meta={"place": "global"})
    assert files.view("/memories").splitlines()[1:] == ["1B\t/memories", "1B\t/memories/f"]
    files.clear()
    assert memories.tenant("ada").get("note").text == "A harmless note."


def test_lines_are_inserted_after_a_line(files):
    files.create("/memories/f", "one\nthree\n")
    assert files.insert("/memories/f", 1, "two\n") == "The file /memories/f has been edited."
    assert files.read("/memories/f") == "one\ntwo\nthree\n"
    files.insert("/memories/f", 3, "four")
    assert files.read("/memories/f") == "one\ntwo\nthree\nfour\n"
    assert refused(files.insert, "/memories/f", 9, "x") == "Invalid `insert_line` parameter: 9. It should be within the range [0, 4]."
    assert "within the range [0, 4]" in refused(files.insert, "/memories/f", -1, "x")


def test_files_and_folders_are_deleted_for_good(files, memories):
    files.create("/memories/a/one", "1")
    files.create("/memories/a/two", "2")
    files.create("/memories/ab", "3")
    assert files.delete("/memories/a/one") == "Successfully deleted /memories/a/one"
    files.delete("/memories/a/two")
    assert files.view("/memories/a").endswith("0B\t/memories/a")
    assert files.delete("/memories/a") == "Successfully deleted /memories/a"
    assert files.paths() == {"/memories/ab": 1}
    assert refused(files.delete, "/memories/a") == "The path /memories/a does not exist"
    assert refused(files.delete, "/memories") == "Cannot delete the /memories directory itself"
    assert memories.tenant("ada").stats().memories == 1


def test_files_and_folders_are_renamed_with_all_that_is_in_them(files):
    files.create("/memories/a/one", "1" * 120_000)
    files.create("/memories/a/b/two", "")
    assert files.rename("/memories/a", "/memories/x/y") == "Successfully renamed /memories/a to /memories/x/y"
    assert files.paths() == {
        "/memories/x": None,
        "/memories/x/y": None,
        "/memories/x/y/b": None,
        "/memories/x/y/b/two": 0,
        "/memories/x/y/one": 120_000,
    }
    assert files.read("/memories/x/y/b/two") == ""
    files.create("/memories/f", "f")
    assert refused(files.rename, "/memories/f", "/memories/x") == "The destination /memories/x already exists"
    assert refused(files.rename, "/memories/gone", "/memories/h") == "The path /memories/gone does not exist"
    assert refused(files.rename, "/memories", "/memories/h") == "Cannot rename the /memories directory itself"
    assert "into itself" in refused(files.rename, "/memories/x", "/memories/x/z")


def test_what_is_not_there_or_not_a_file_is_told(files):
    files.create("/memories/a/one", "1")
    gone = "The path /memories/gone does not exist. Please provide a valid path."
    assert refused(files.view, "/memories/gone") == refused(files.insert, "/memories/gone", 0, "x") == gone
    assert refused(files.str_replace, "/memories/a", "1", "2") == "The path /memories/a is not a file."
    assert refused(files.create, "/memories/a", "x") == "File /memories/a already exists"
    assert "not a directory" in refused(files.create, "/memories/a/one/two", "x")


@pytest.mark.parametrize("path", ["/etc/passwd", "memories/x", "", "/memoriesx", "/Memories"])
def test_a_path_begins_with_memories(files, path):
    assert refused(files.view, path) == f"Path must start with /memories, got: {path}"


@pytest.mark.parametrize("path", ["/memories/../etc", "/memories/a/../../b", "/memories/../memories2"])
def test_a_path_cannot_lead_out(files, path):
    assert refused(files.create, path, "x") == f"Path {path} would escape /memories directory"


@pytest.mark.parametrize("path", ["/memories/a\x00b", "/memories/a\nb", "/memories/" + "x" * 1100])
def test_a_path_is_short_and_printable(files, path):
    assert "at most 1024 printable characters" in refused(files.create, path, "x")


def test_a_path_may_be_written_in_several_ways():
    assert resolved("/memories/./a//b/../c/") == "/memories/a/c"
    assert resolved("/memories/../memories/a") == "/memories/a"


def test_a_very_long_file_is_not_shown(files):
    files.create("/memories/f", "\n" * 1_000_000)
    assert refused(files.view, "/memories/f") == "File /memories/f exceeds maximum line limit of 999,999 lines."


def test_what_an_agent_writes_down_is_recalled_and_folders_are_not(files, memories):
    files.create("/memories/people/ada.md", "Ada is allergic to peanuts.")
    tenant = memories.tenant("ada")
    assert [each.text for each in tenant.recall("what must Ada not eat?", floor=0.0)] == ["Ada is allergic to peanuts."]
    files.str_replace("/memories/people/ada.md", "peanuts", "shellfish")
    assert [each.text for each in tenant.recall("what must Ada not eat?", floor=0.0)] == ["Ada is allergic to shellfish."]


def test_tenants_and_scopes_have_files_of_their_own(memories):
    one, two = MemoryFiles(memories.tenant("ada"), scope="atlas"), MemoryFiles(memories.tenant("ada"))
    other = MemoryFiles(memories.tenant("bob"))
    one.create("/memories/f", "atlas")
    two.create("/memories/f", "global")
    assert (one.read("/memories/f"), two.read("/memories/f"), other.read("/memories/f")) == ("atlas", "global", None)
    memories.tenant("ada").remember("Not a file")
    assert two.clear() == "All memory cleared"
    assert (one.paths(), two.paths()) == ({"/memories/f": 5}, {})
    assert [each.text for each in memories.tenant("ada").list(scope="global")] == ["Not a file"]


def test_files_that_upkeep_merges_stay_files_and_one_that_somebody_forgot_can_be_made_again(files, memories):
    tenant, said = memories.tenant("ada"), "The staging deploy runs every Friday at 16:00."
    for name in ("a", "b"):
        files.create(f"/memories/{name}", said)
    assert len(tenant.consolidate().merged) == 1
    assert [files.read(f"/memories/{name}") for name in "ab"] == [said, said]
    files.str_replace("/memories/b", "Friday", "Monday")
    assert {each.text for each in tenant.recall("when is the staging deploy?", floor=0.0)} == {said, said.replace("Friday", "Monday")}
    tenant.forget(*(memory.id for memory in tenant.list()))
    assert files.read("/memories/a") is None
    files.create("/memories/a", "Likes tea.")
    assert [each.text for each in tenant.recall("tea", floor=0.0)] == ["Likes tea."]
