"""The project that an agent works in: its scope, and what its `.cued.toml` says."""

import os
import sys

import pytest

from cued.errors import InputError
from cued.policy.presets import text_of
from cued.surfaces.project import project_at

posix = pytest.mark.skipif(sys.platform == "win32", reason="links, devices and pipes are files on POSIX")


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "galley"
    (root / ".git").mkdir(parents=True)
    (root / "src" / "deep").mkdir(parents=True)
    return root


def test_the_scope_is_the_name_of_the_repository_from_anywhere_in_it(repository):
    assert project_at(repository).scope == "galley"
    assert project_at(repository / "src" / "deep").scope == "galley"
    assert project_at(repository, scope="mine").scope == "mine"


def test_outside_a_repository_and_at_home_what_is_global_counts(repository, monkeypatch):
    assert project_at(repository.parent).scope == "global"
    monkeypatch.setenv("HOME", str(repository))
    monkeypatch.setenv("USERPROFILE", str(repository))
    assert project_at(repository).scope == "global"


@pytest.mark.parametrize(("gitdir", "name"), [("../galley/.git/worktrees/w", "galley"), ("../galley.git/worktrees/w", "galley")])
def test_a_worktree_has_the_scope_of_its_repository(repository, gitdir, name):
    tree = repository.parent / "w"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {gitdir}\n", "utf-8")
    assert project_at(tree).scope == name


def test_a_submodule_has_its_own_scope(repository):
    inner = repository / "hull"
    inner.mkdir()
    (inner / ".git").write_text("gitdir: ../.git/modules/hull\n", "utf-8")
    assert project_at(inner).scope == "hull"


def test_the_file_sets_scope_policy_and_hooks(repository):
    (repository / ".cued.toml").write_text('scope = "boat"\npolicy = "coding"\n[hooks]\nuser_prompt = false\n', "utf-8")
    project = project_at(repository / "src")
    assert (project.scope, project.policy) == ("boat", "coding")
    assert (project.hooks.user_prompt, project.hooks.session_start) == (False, True)
    assert project_at(repository, scope="mine").scope == "mine"


@pytest.mark.parametrize("text", ["scope = 1", "tenant = 'x'", "[hooks]\nno_such = true", "not toml", "[hooks]\nstore_turns = 'x'"])
def test_a_file_that_says_something_else_is_refused_with_what_it_may_say(repository, text):
    (repository / ".cued.toml").write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"\.cued\.toml: got .*accepted: scope, policy and a table"):
        project_at(repository)


@pytest.mark.parametrize("policy", ["own.toml", "./own.toml", "{}/own.toml", "nope"])
def test_a_repository_cannot_bring_a_policy_of_its_own(repository, monkeypatch, policy):
    monkeypatch.chdir(repository)
    (repository / "own.toml").write_text(text_of("cued"), "utf-8")
    (repository / ".cued.toml").write_text(f"policy = '{policy.format(repository)}'", "utf-8")
    with pytest.raises(InputError, match=r"\.cued\.toml: got .*a policy that is one of cued, .*; not '"):
        project_at(repository)


@posix
@pytest.mark.parametrize("kind", ["device", "pipe", "folder", "large"])
def test_a_project_file_that_is_not_plain_or_is_too_large_is_refused_and_never_read(repository, kind):
    path = repository / ".cued.toml"
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.write_bytes(b"#" * 70_000)
    with pytest.raises(InputError, match="a plain file of 8,192 bytes at most"):
        project_at(repository)


@pytest.mark.parametrize(
    "written",
    [b"scope = " + b"[" * 8000, b"scope = " + b"9" * 5000, b"scope = '\xff'", b"a" + b".a" * 4000 + b" = 1", b"scope = 7"],
    ids=["deep", "endless number", "no UTF-8", "long key", "no text"],
)
def test_a_project_file_that_cannot_be_read_is_refused_whatever_it_says(repository, written):
    (repository / ".cued.toml").write_bytes(written)
    with pytest.raises(InputError, match=r"scope, policy and a table \[hooks\]"):
        project_at(repository)


@posix
def test_a_project_file_at_a_name_that_no_file_can_have_is_refused(repository):
    (repository / ".cued.toml").symlink_to("/" + "a" * 300)
    with pytest.raises(InputError, match="a file that can be read"):
        project_at(repository)


@posix
@pytest.mark.parametrize(
    ("led", "name"), [("a\0b", "galley"), ("loop/worktrees/x", "loop"), ("/worktrees/x", "galley"), ("/" + "a" * 5000, "galley")]
)
def test_a_worktree_that_leads_nowhere_has_a_name_all_the_same(tmp_path, led, name):
    (tmp_path / "galley").mkdir()
    (tmp_path / "galley" / "loop").symlink_to(tmp_path / "galley" / "loop")
    (tmp_path / "galley" / ".git").write_text(f"gitdir: {led}", "utf-8")
    assert project_at(tmp_path / "galley").scope == name


@posix
def test_a_project_file_that_leads_nowhere_says_nothing(repository):
    (repository / ".cued.toml").symlink_to(repository / "gone")
    assert project_at(repository).scope == "galley"
