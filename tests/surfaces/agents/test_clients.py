"""Connecting a client: its file is edited in place, shown, backed up, undone, and the server is really started."""

import itertools
import json
import os
import stat
import subprocess
import sys
import tomllib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.errors import InputError
from cued.surfaces.cli.agents.launching import launcher
from cued.surfaces.clients import file_changes, jsonc, toml
from cued.surfaces.clients.hooking import unhooked
from cued.surfaces.clients.known import CLIENTS
from tests.surfaces.conftest import SOURCE

ENTRY = {"command": "cued", "args": ["mcp"]}
clients = pytest.mark.parametrize("name", CLIENTS)


@pytest.fixture
def home(tmp_path, monkeypatch, cued):
    """Give a call to `cued connect` in a home folder of its own, without the start of the server where it does not matter."""
    for name in ("XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "APPDATA", "CUED_DB"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    monkeypatch.chdir(tmp_path)
    return cued


@pytest.fixture
def quick(monkeypatch):
    """Let the proof be a word, for tests of what is written."""
    monkeypatch.setattr("cued.surfaces.clients.proof.tools_of", lambda command, env, folder: ["recall"])


def saved(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("name", "platform", "expected"),
    [
        ("claude-code", "linux", ".claude.json"),
        ("claude-desktop", "linux", ".config/Claude/claude_desktop_config.json"),
        ("claude-desktop", "darwin", "Library/Application Support/Claude/claude_desktop_config.json"),
        ("claude-desktop", "win32", "AppData/Roaming/Claude/claude_desktop_config.json"),
        ("cursor", "darwin", ".cursor/mcp.json"),
        ("vscode", "linux", ".config/Code/User/mcp.json"),
        ("vscode", "darwin", "Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", "AppData/Roaming/Code/User/mcp.json"),
        ("codex", "linux", ".codex/config.toml"),
        ("zed", "linux", ".config/zed/settings.json"),
        ("zed", "darwin", ".config/zed/settings.json"),
        ("zed", "win32", "AppData/Roaming/Zed/settings.json"),
        ("windsurf", "linux", ".codeium/windsurf/mcp_config.json"),
    ],
)
def test_each_client_has_its_file_on_each_platform(home, tmp_path, name, platform, expected):
    assert CLIENTS[name].path(platform=platform) == tmp_path / expected


@pytest.mark.skipif(sys.platform == "win32", reason="starts the server in a POSIX environment")
def test_a_client_is_connected_by_a_server_that_answers_and_is_left_as_it_was(home, tmp_path):
    file = saved(tmp_path / ".cursor" / "mcp.json", '{\n  // mine\n  "mcpServers": {\n    "other": {"command": "x"}, // keep\n  },\n}\n')
    before = file.read_bytes()
    done = home("connect", "cursor", "--yes", "--json")
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["tools"] == ["recall", "remember", "update", "forget", "explain", "timeline", "feedback"]
    assert told["backups"] == [f"{file}.before-cued"]
    assert "// mine" in file.read_text("utf-8")
    assert "+    " in done.stderr
    entry = jsonc.parse(file.read_text("utf-8"))["mcpServers"]["cued"]
    assert entry["args"][-2:] == ["--project", "${workspaceFolder}"]
    assert home("connect", "cursor", "--undo", "--yes").exit_code == 0
    assert file.read_bytes() == before
    assert sorted(path.name for path in file.parent.iterdir()) == ["mcp.json"]


def test_a_server_that_does_not_answer_changes_nothing(home, tmp_path, monkeypatch):
    monkeypatch.setattr("cued.surfaces.cli.agents.connect.launcher", lambda: [sys.executable, "-c", "raise SystemExit('no cued here')"])
    refused = home("connect", "codex", "--yes")
    assert refused.exit_code == 2
    assert "no cued here" in refused.stderr
    assert not (tmp_path / ".codex").exists()


def test_without_the_protocol_s_sdk_it_says_what_to_install_and_changes_nothing(home, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "anyio", None)
    refused = home("connect", "cursor", "--yes")
    assert refused.exit_code == 2
    assert 'anyio is not installed; accepted: pip install "cued[mcp]"' in refused.stderr
    assert not (tmp_path / ".cursor/mcp.json").exists()


@clients
def test_every_client_can_be_connected_twice_and_undone(home, quick, tmp_path, name):
    path = CLIENTS[name].path()
    for _ in range(2):
        done = home("connect", name, "--yes", "--tenant", "mira", "--scope", "boat")
        assert done.exit_code == 0, done.stderr
    data = (jsonc if path.suffix == ".json" else toml).parse(path.read_text("utf-8"))
    entry = data[CLIENTS[name].under]["cued"]
    assert entry["args"][:1] != [] and "mcp" in entry["args"]  # noqa: PT018 - one look at one entry
    assert entry["args"][entry["args"].index("--tenant") + 1] == "mira"
    assert entry["args"][entry["args"].index("--scope") + 1] == "boat"
    assert "nothing was changed" in done.stdout
    undone = home("connect", name, "--undo", "--yes")
    assert (undone.exit_code, path.exists()) == (0, False)
    assert "did not have" in home("connect", name, "--undo", "--yes").stdout


@clients
def test_a_client_that_is_connected_anew_otherwise_is_left_as_it_was(home, quick, tmp_path, name):
    hooks = ("--hook", "recall") if name == "claude-code" else ()
    home("connect", name, *hooks, "--yes")
    home("connect", name, *hooks, "--tenant", "mira", "--yes")
    assert "no longer has" in home("connect", name, "--undo", "--yes").stdout
    assert (CLIENTS[name].path().exists(), (tmp_path / ".claude/settings.json").exists()) == (False, False)


@clients
def test_what_is_printed_is_what_would_be_written(home, quick, tmp_path, name):
    printed = json.loads(home("connect", name, "--print", "--json").stdout)["files"][0]
    assert not CLIENTS[name].path().exists()
    home("connect", name, "--yes")
    assert CLIENTS[name].path().read_text("utf-8") == printed["content"]
    assert printed["path"] == str(CLIENTS[name].path())


@clients
@pytest.mark.parametrize("broken", ["{", "[1]", '{"mcpServers": [], "servers": 1, "context_servers": "x"}', "= 1", "\ufffd\0"])
def test_a_broken_file_is_left_as_it_is(home, quick, name, broken):
    if name == "codex" and broken == "[1]":
        return  # a table of TOML
    path = saved(CLIENTS[name].path(), broken)
    refused = home("connect", name, "--yes")
    assert refused.exit_code == 2, refused.stdout
    assert "Nothing was changed" in refused.stderr
    assert path.read_bytes() == broken.encode()
    assert [each.name for each in path.parent.iterdir()] == [path.name] or path.parent == path.home()


def test_a_file_that_is_no_text_is_left_as_it_is(home, quick, tmp_path):
    (tmp_path / ".claude.json").write_bytes(b"\xff\xfe\x00")
    assert "not UTF-8" in home("connect", "claude-code", "--yes").stderr


def test_nothing_of_the_project_that_a_client_starts_it_in_is_loaded(tmp_path, monkeypatch):
    python = sys.executable
    for module in ("click", "msgspec", "cued"):
        saved(tmp_path / f"{module}.py", "raise SystemExit('a module of the project')")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))  # beside which no `cued` lies
    words = [python, *launcher()[1:], "connect", "--help"]
    done = subprocess.run(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(SOURCE)}, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_where_modules_are_is_said_in_whole_paths(home, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(SOURCE), "lib", ""]))
    (written,) = home.json("connect", "cursor", "--print")["files"]
    env = json.loads(written["content"])["mcpServers"]["cued"]["env"]
    assert env == {"PYTHONPATH": os.pathsep.join([str(SOURCE), str(tmp_path / "lib")])}


def test_nobody_there_to_ask_writes_nothing(home, quick, tmp_path):
    assert home("connect", "cursor").exit_code == 2
    assert not (tmp_path / ".cursor").exists()


def test_what_was_in_our_place_before_comes_back(home, quick, tmp_path):
    before = '{"mcpServers": {"cued": {"command": "older"}}, "theme": "dark"}'
    file = saved(tmp_path / ".claude.json", before)
    file.chmod(0o600)
    home("connect", "claude-code", "--yes")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert home("connect", "claude-code", "--undo", "--yes").exit_code == 0
    assert file.read_text("utf-8") == before


def test_what_a_client_wrote_in_between_is_kept(home, quick, tmp_path):
    file = saved(tmp_path / ".claude.json", '{"numStartups": 1, "mcpServers": {}}')
    home("connect", "claude-code", "--yes")
    data = json.loads(file.read_text("utf-8"))
    saved(file, json.dumps({**data, "numStartups": 2}))
    home("connect", "claude-code", "--undo", "--yes")
    assert json.loads(file.read_text("utf-8")) == {"numStartups": 2}


@pytest.mark.parametrize("undo", [False, True])
def test_what_a_client_writes_while_the_change_is_shown_is_kept(tmp_path, undo):
    path, client = tmp_path / "mcp.json", CLIENTS["cursor"]
    path.write_text("{}", "utf-8")
    if undo:
        file_changes.write(file_changes.connected(client, path, {"command": "cued"}))
    change = file_changes.disconnected(client, path) if undo else file_changes.connected(client, path, {"command": "cued"})
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"theme": "dark"}), "utf-8")
    backup = file_changes.write(change)
    assert json.loads(path.read_text("utf-8")) == {"theme": "dark"} | ({} if undo else {"mcpServers": {"cued": {"command": "cued"}}})
    assert undo or json.loads(backup.read_text("utf-8")) == {"theme": "dark"}


@pytest.mark.skipif(sys.platform == "win32", reason="devices are files on POSIX")
def test_a_project_s_file_that_never_ends_is_left_as_it_is(tmp_path):
    path = tmp_path / ".mcp.json"
    path.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="no plain file"):
        file_changes.connected(CLIENTS["claude-code"], path, {"command": "cued"})


def steers(said):
    """Whether a terminal would obey something in it."""
    return any(not each.isprintable() for each in said.replace("\n", ""))


def test_what_is_shown_of_a_project_s_file_steers_no_terminal(home, quick, tmp_path):
    saved(tmp_path / ".mcp.json", "{\r\n// \x1b[2K\x9b1A\u202e\x07\r\n}\r\n")
    shown = home("connect", "claude-code", "--here", "--yes").stderr
    assert "// \\u{1b}[2K\\u{9b}1A\\u{202e}\\u{7}\n" in shown
    assert not steers(shown)


@pytest.mark.parametrize("args", [("mcp",), ("hook", "user-prompt")])
def test_a_refusal_that_quotes_a_project_s_file_steers_no_terminal(home, tmp_path, monkeypatch, args):
    saved(tmp_path / "repo" / ".git" / "HEAD", "")
    saved(tmp_path / "repo" / ".cued.toml", '"\\u001B]0;x\\u0007\\u009B1A\\u202E" = 1')
    monkeypatch.chdir(tmp_path / "repo")
    said = home(*args, stdin=json.dumps({"cwd": str(tmp_path / "repo"), "prompt": "hi"})).stderr
    assert "unknown field" in said
    assert not steers(said)


def test_a_file_that_others_write_again_and_again_is_left_to_them(tmp_path):
    path, times = tmp_path / "mcp.json", itertools.count()

    def restless(change):
        path.write_text(json.dumps({"times": next(times)}), "utf-8")
        return msgspec.structs.replace(change, anew=lambda: restless(change.anew()))

    with pytest.raises(InputError, match="again and again"):
        file_changes.write(restless(file_changes.connected(CLIENTS["cursor"], path, {"command": "cued"})))
    assert [each.name for each in tmp_path.iterdir()] == ["mcp.json"]
    assert "mcpServers" not in path.read_text("utf-8")


def test_a_file_that_a_client_removes_while_the_change_is_shown_is_made_anew(tmp_path):
    path = tmp_path / "mcp.json"
    path.write_text('{"theme": "dark"}', "utf-8")
    change = file_changes.connected(CLIENTS["cursor"], path, {"command": "cued"})
    path.unlink()
    assert file_changes.write(change) is None
    assert json.loads(path.read_text("utf-8")) == {"mcpServers": {"cued": {"command": "cued"}}}


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights on Windows")
def test_a_file_behind_a_link_is_as_it_was_when_we_are_taken_out_again(tmp_path):
    real, link = tmp_path / "dotfiles.json", tmp_path / "mcp.json"
    real.write_text("{}", "utf-8")
    link.symlink_to(real)
    file_changes.write(file_changes.connected(CLIENTS["cursor"], link, {"command": "cued"}))
    file_changes.write(file_changes.disconnected(CLIENTS["cursor"], link))
    assert (link.is_symlink(), real.read_text("utf-8")) == (True, "{}")
    assert {each.name for each in tmp_path.iterdir()} == {"dotfiles.json", "mcp.json"}


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights on Windows")
def test_a_link_that_leads_to_itself_is_left_as_it_is(tmp_path):
    path = tmp_path / "mcp.json"
    path.symlink_to(path)
    with pytest.raises(InputError, match="leads to itself"):
        file_changes.write(file_changes.connected(CLIENTS["cursor"], path, {"command": "cued"}))


def test_a_file_of_brackets_without_end_is_left_as_it_is(tmp_path):
    path = tmp_path / "config.toml"
    path.write_text("a = " + "[" * 100_000, "utf-8")
    with pytest.raises(InputError, match="Nothing was changed"):
        file_changes.connected(CLIENTS["codex"], path, {"command": "cued"})


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need rights on Windows")
def test_a_link_to_a_file_stays_a_link(home, quick, tmp_path):
    real = saved(tmp_path / "dotfiles" / "settings.json", "{}\n")
    link = tmp_path / ".config" / "zed" / "settings.json"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    home("connect", "zed", "--yes")
    assert link.is_symlink()
    assert "context_servers" in real.read_text("utf-8")


def test_a_project_s_own_file_is_written_at_its_root(home, quick, tmp_path, monkeypatch):
    deep = tmp_path / "repo" / "src"
    deep.mkdir(parents=True)
    (tmp_path / "repo" / ".git").mkdir()
    monkeypatch.chdir(deep)
    assert home("connect", "vscode", "--here", "--yes").exit_code == 0
    assert "servers" in json.loads((tmp_path / "repo" / ".vscode" / "mcp.json").read_text("utf-8"))
    assert home("connect", "windsurf", "--here", "--yes").exit_code == 2


def test_hooks_stand_beside_the_user_s_own_and_go_alone(home, quick, tmp_path):
    own = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}, "model": "x"}
    file = saved(tmp_path / ".claude" / "settings.json", json.dumps(own, indent=4))
    for _ in range(2):
        done = home("connect", "claude-code", "--hook", "recall", "--hook", "turns", "--yes", "--tenant", "mira")
        assert done.exit_code == 0, done.stderr
    hooks = json.loads(file.read_text("utf-8"))["hooks"]
    assert {event: len(groups) for event, groups in hooks.items()} == {"Stop": 2, "SessionStart": 1, "UserPromptSubmit": 1, "PreCompact": 1}
    command = hooks["SessionStart"][0]["hooks"][0]["command"]
    assert (" hook session-start --db " in command, " --tenant mira" in command) == (True, True)
    saved(file, file.read_text("utf-8").replace('"x"', '"y"'))
    home("connect", "claude-code", "--undo", "--yes")
    assert json.loads(file.read_text("utf-8")) == {**own, "model": "y"}
    assert home("connect", "cursor", "--hook", "recall", "--yes").exit_code == 2


@pytest.mark.parametrize(
    "command",
    [
        "cued hook stop",
        "/home/mira/.venv/bin/cued hook stop --tenant mira",
        "'C:\\Program Files\\cued\\cued.exe' hook stop",
        "/usr/bin/python3 -m cued.surfaces.cli hook stop",
        "uvx --from 'cued[mcp]' cued --db /x.db hook stop; say done",
    ],
)
def test_a_hook_of_ours_is_known_however_it_is_started(command):
    assert unhooked({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}) == {}


@pytest.mark.parametrize(
    "command", ["mycued hook stop", "cued-logger hook stop", "cued hook stop-sign", "say 'cued' && other-hook stop", "rescued/hook stop"]
)
def test_a_hook_that_only_sounds_like_ours_is_the_user_s_own(command):
    settings = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}
    assert unhooked(settings) == settings


def test_hooks_that_start_a_server_say_so_and_need_one_to_start(home, quick, tmp_path, monkeypatch):
    alone = home("connect", "claude-code", "--start-server", "--yes")
    assert (alone.exit_code, "together with --hook" in alone.stderr) == (2, True)
    wanted = ("connect", "claude-code", "--hook", "recall", "--start-server", "--print", "--json")
    monkeypatch.setattr("cued.surfaces.cli.agents.connect.startable", lambda: False)
    assert "cued[server]" in home(*wanted).stderr
    monkeypatch.setattr("cued.surfaces.cli.agents.connect.startable", lambda: True)
    (_, settings) = json.loads(home(*wanted).stdout)["files"]
    (event,) = json.loads(settings["content"])["hooks"]["UserPromptSubmit"]
    assert event["hooks"][0]["command"].endswith(" --start-server")


@pytest.mark.parametrize("text", ['{"hooks": {}}', '{"hooks": {"Stop": []}}', '{"hooks": null}'])
def test_settings_that_have_no_hooks_of_ours_are_left_as_they_are(home, tmp_path, text):
    file = saved(tmp_path / ".claude" / "settings.json", text)
    assert "did not have cued" in home("connect", "claude-code", "--undo", "--yes").stdout
    assert file.read_text("utf-8") == text


@pytest.mark.parametrize("text", ['{\n  "mcpServers": {\n    // none yet\n  }\n}\n', '{"mcpServers":{}}'])
def test_a_table_that_was_empty_before_is_so_again(home, quick, tmp_path, text):
    file = saved(tmp_path / ".cursor" / "mcp.json", text)
    assert home("connect", "cursor", "--yes").exit_code == 0
    assert home("connect", "cursor", "--undo", "--yes").exit_code == 0
    assert file.read_text("utf-8") == text
    assert [path.name for path in file.parent.iterdir()] == ["mcp.json"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cursor", '{"mcpServers": ["cued"]}'),
        ("cursor", '{"mcpServers": 5}'),
        ("codex", "[[mcp_servers]]\na = 1\n"),
        ("claude-code", '{"hooks": []}'),
        ("claude-code", '{"hooks": {"SessionStart": {}}}'),
    ],
)
def test_what_holds_something_else_in_our_place_is_refused_and_left_as_it_is(home, quick, tmp_path, name, text):
    hooks = ("--hook", "recall") if name == "claude-code" else ()
    file = saved(tmp_path / ".claude" / "settings.json" if hooks else CLIENTS[name].path(), text)
    refused = home("connect", name, *hooks, "--yes")
    assert (refused.exit_code, "Nothing was changed" in refused.stderr) == (2, True)
    assert home("connect", name, "--undo", "--yes").exit_code == 0
    assert file.read_text("utf-8") == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", '{\n  "a": {\n    "b": 1\n  }\n}\n'),
        ("{}", '{\n  "a": {\n    "b": 1\n  }\n}'),
        ('{"x": 1}', '{"x": 1,\n  "a": {\n    "b": 1\n  }\n}'),
        ('{\n\t"x": [1, 2,], // why\n}\n', '{\n\t"x": [1, 2,], // why\n\t"a": {\n\t\t"b": 1\n\t}\n}\n'),
        ('{\r\n  "a": {}\r\n}', '{\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}'),
        ('{"a": {"b": [0]}} // end', '{"a": {"b": 1}} // end'),
        ("{ /* one */ }", '{ /* one */\n  "a": {\n    "b": 1\n  }\n}'),
        ('\ufeff{"a": {"c": "// no comment"}}', '\ufeff{"a": {"c": "// no comment",\n  "b": 1\n}}'),
    ],
)
def test_a_value_is_put_where_it_belongs_and_all_else_stays(before, after):
    assert jsonc.put(before, ("a", "b"), 1) == after


scalars = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=8
)
keys = st.sampled_from(["a", "b", "c", '"', "//", "/*", "é"])
objects = st.dictionaries(keys, values | st.dictionaries(st.sampled_from(["b", "x"]), values), max_size=4)


@given(data=objects, indent=st.sampled_from([None, 1, 2, "\t"]), value=values)
def test_whatever_was_there_is_there_afterwards(data, indent, value):
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    assert jsonc.parse(text) == data
    if isinstance(data.get("a", {}), dict):
        put = jsonc.put(text, ("a", "cued"), value)
        assert jsonc.parse(put) == {**data, "a": {**data.get("a", {}), "cued": value}}
        left = jsonc.parse(jsonc.drop(put, ("a", "cued")))
        assert left == {**data, "a": {name: each for name, each in data.get("a", {}).items() if name != "cued"}}


@pytest.mark.parametrize(
    "text", ["{", "}", '{"a"}', '{"a": }', '{"a": 1 "b": 2}', "[1", '"x', '{"a": tru}', "{,}", '{"a": 1} x', "[" * 300, '{"a": "\n"}']
)
def test_what_is_no_json_is_refused_with_its_line(text):
    with pytest.raises(ValueError, match="line"):
        jsonc.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        'model = "x"',
        '# hi\n[mcp_servers.other]\ncommand = "y"\n',
        '[mcp_servers.cued]\ncommand = "old"\n[mcp_servers.cued.env]\nA = "b"\n\n[last]\nx = 1\n',
        '["mcp_servers"."cued"]\ncommand = "old"\n',
    ],
)
def test_a_table_is_put_at_the_end_and_taken_out(text):
    value = {"command": 'c"\\', "args": ["é", "-x"], "env": {"A B": "c"}}
    put = toml.put(text, ("mcp_servers", "cued"), value)
    before = tomllib.loads(text)
    rest = {name: each for name, each in before.get("mcp_servers", {}).items() if name != "cued"}
    assert tomllib.loads(put) == {**before, "mcp_servers": {**rest, "cued": value}}
    assert tomllib.loads(toml.drop(put, ("mcp_servers", "cued"))).get("mcp_servers", {}) == rest


def test_a_mark_of_the_byte_order_stays_before_the_tables():
    put = toml.put('\ufeffmodel = "x"\n', ("mcp_servers", "cued"), {"command": "c"})
    assert put.startswith('\ufeffmodel = "x"\n')
    assert toml.parse(put) == {"model": "x", "mcp_servers": {"cued": {"command": "c"}}}


def test_a_table_that_is_written_inline_is_left_to_the_user(home, quick, tmp_path):
    file = saved(tmp_path / ".codex" / "config.toml", 'mcp_servers = { cued = { command = "x" } }\n')
    assert "Nothing was changed" in home("connect", "codex", "--yes").stderr
    assert file.read_text("utf-8") == 'mcp_servers = { cued = { command = "x" } }\n'
