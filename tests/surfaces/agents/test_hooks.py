"""The hooks of Claude Code: the JSON that it sends, the JSON that it reads, and never an exit code but 0."""

import json
import os

import pytest

from cued.handles.memories import open_memories

SENT = {
    "session-start": {"hook_event_name": "SessionStart", "source": "startup", "model": "claude"},
    "user-prompt": {"hook_event_name": "UserPromptSubmit", "permission_mode": "default", "prompt": "What does the stove need?"},
    "pre-tool-use": {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "ls", "description": "List files"},
        "tool_use_id": "toolu_01ABC123",
    },
    "pre-compact": {"hook_event_name": "PreCompact", "trigger": "auto", "custom_instructions": ""},
    "stop": {"hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": "It needs gas."},
}
SAID = [
    {"type": "summary", "summary": "Stove"},
    {"type": "user", "message": {"role": "user", "content": "What does the stove need?"}, "timestamp": "2026-03-01T10:00:00.000Z"},
    {
        "type": "assistant",
        "message": {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "hm"}, {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}],
        },
    },
    {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "secret.txt"}]}},
    {"type": "user", "isMeta": True, "message": {"role": "user", "content": "Caveat: a meta remark"}},
    {"type": "user", "message": {"role": "user", "content": "<command-name>/clear</command-name>"}},
    {"type": "assistant", "isSidechain": True, "message": {"role": "assistant", "content": [{"type": "text", "text": "An aside."}]}},
    {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "It needs gas."}]}},
]


@pytest.fixture
def hook(cued, tmp_path, monkeypatch):
    """Give a hook as Claude Code runs it in a repository: what it answers, None for silence."""
    project = tmp_path / "galley"
    (project / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run(event, *args, stdin=None, **more):
        sent = {"session_id": "s-1", "cwd": str(project), "transcript_path": str(tmp_path / "t.jsonl"), **SENT.get(event, {}), **more}
        done = cued("hook", event, *args, stdin=json.dumps(sent) if stdin is None else stdin)
        assert done.exit_code == 0
        return json.loads(done.stdout)["hookSpecificOutput"] if done.stdout else None

    run.project = project
    run.log = lambda: (tmp_path / "cache" / "cued" / "hooks.log").read_text("utf-8").splitlines()
    run.open = lambda: open_memories(cued.db, embedder="hashing")
    return run


@pytest.fixture
def stocked(hook, cued):
    cued.remember("The stove needs gas.", "--scope", "galley", "--id", "gas")
    cued.remember("Mira drinks green tea.", "--id", "tea")
    return hook


def test_a_session_starts_with_what_is_needed_most(stocked):
    said = stocked("session-start")
    assert said["hookEventName"] == "SessionStart"
    assert "The stove needs gas." in said["additionalContext"]
    assert "green tea" in said["additionalContext"]
    assert stocked("session-start", "--scope", "other")["additionalContext"].count("stove") == 0


def test_a_prompt_brings_what_fits_once_and_is_silent_otherwise(stocked):
    said = stocked("user-prompt")
    assert (said["hookEventName"], "needs gas" in said["additionalContext"]) == ("UserPromptSubmit", True)
    assert stocked("user-prompt") is None
    assert "needs gas" in stocked("user-prompt", session_id="s-2")["additionalContext"]
    assert stocked("user-prompt", session_id="s-3", prompt="How tall is the Eiffel tower?") is None
    assert stocked("user-prompt", session_id="s-4", prompt="/compact") is None
    assert stocked("user-prompt", session_id="s-5", prompt=" ") is None


def test_a_long_log_hides_no_question_whether_it_stands_before_or_after(stocked):
    log = "\n".join(f"2026-03-01T10:{minute % 60:02}:07.{minute:03}Z [galley] pump_1 pressure={minute} state=ok" for minute in range(150))
    for session, prompt in enumerate((f"{log}\n\nWhat does the stove need?", f"What does the stove need?\n\n{log}")):
        assert "needs gas" in stocked("user-prompt", session_id=f"log-{session}", prompt=prompt)["additionalContext"]


def test_a_path_is_a_prompt_and_a_command_is_none(stocked):
    assert stocked("user-prompt", prompt="/clear what does the stove need") is None
    assert stocked("user-prompt", prompt="/compact") is None
    assert "gas" in stocked("user-prompt", prompt="/galley/stove.txt says what does the stove need?")["additionalContext"]


def test_after_a_compaction_the_start_is_given_again_and_prompts_may_repeat_the_rest(stocked):
    stocked("user-prompt")
    assert "needs gas" in stocked("session-start", source="compact")["additionalContext"]
    assert stocked("user-prompt") is None


def test_turns_are_stored_once_and_without_tools_thoughts_and_asides(hook, tmp_path):
    transcript = tmp_path / "t.jsonl"
    transcript.write_text("\n".join(map(json.dumps, SAID)) + "\nnot json\n", "utf-8")
    assert hook("stop") is None
    assert hook("pre-compact") is None
    more = [{"type": "user", "message": {"role": "user", "content": "And the lamp?"}}]
    transcript.write_text("\n".join(map(json.dumps, SAID + more)) + "\n", "utf-8")
    assert hook("stop") is None
    with hook.open() as memories:
        kept = memories.tenant("me").list(session="s-1").memories
    assert sorted((memory.source.turn, memory.source.speaker, memory.text, memory.scope) for memory in kept) == [
        (1, "user", "What does the stove need?", "galley"),
        (2, "assistant", "It needs gas.", "galley"),
        (3, "user", "And the lamp?", "galley"),
    ]
    assert [line.split(" ms ")[1] for line in hook.log()] == ["2 turns stored", "0 turns stored", "1 turns stored"]


@pytest.mark.parametrize("line", [b'{"type": "user", "message": {"content": "caf\xe9"}}', b'{"a": ' * 5000 + b"1" + b"}" * 5000])
def test_a_line_that_cannot_be_read_keeps_no_turn_from_being_stored(hook, tmp_path, line):
    (tmp_path / "t.jsonl").write_bytes(line + b"\n" + json.dumps(SAID[1]).encode() + b"\n")
    hook("stop")
    assert hook.log()[0].endswith("1 turns stored")


def test_what_was_typed_into_a_running_answer_is_stored_once_too(hook, tmp_path):
    times = {"user": "2026-03-01T10:00:00Z", "assistant": "2026-03-01T10:00:30.5Z", "queued": "2026-03-01T12:00:10+02:00"}
    roles = {"user": "user", "assistant": "assistant", "queued": "user"}
    said = [{"type": roles[who], "message": {"content": f"By {who}."}, "timestamp": at} for who, at in times.items()]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(turn) + "\n" for turn in said), "utf-8")
    assert (hook("stop"), hook("stop")) == (None, None)
    assert [line.split(" ms ")[1] for line in hook.log()] == ["3 turns stored", "0 turns stored"]


def test_a_turn_that_cannot_be_stored_as_it_is_keeps_no_other_from_being_stored(hook, tmp_path):
    def said(text, **more):
        return {"type": "user", "message": {"role": "user", "content": text}, **more}

    odd = [
        said("<local-command-stdout>x</local-command-stdout>"),
        said("z" * 150_000),
        said("<div>a\0b"),
        said("ﷺ" * 50_000),
        said("The lamp is red.", timestamp="noon"),
    ]
    transcript = tmp_path / "t.jsonl"
    for turns in ([said("It is early.", timestamp="2026-03-01T10:00:00Z"), *odd], [*odd, said("It is late.")]):
        transcript.write_text("".join(json.dumps(turn) + "\n" for turn in turns), "utf-8")
        hook("stop", session_id=str(len(turns[0])))
        hook("stop", session_id=str(len(turns[0])))
    assert [line.split(" ms ")[1] for line in hook.log()] == ["4 turns stored", "0 turns stored"] * 2
    with hook.open() as memories:
        kept = memories.tenant("me").list(session="3").memories
    assert [memory.text[:20] for memory in reversed(kept)] == ["It is early.", "z" * 20, "<div>a b", "The lamp is red."]


def test_the_gate_asks_once_for_a_recall_and_never_again(hook):
    refused = hook("pre-tool-use")
    assert (refused["permissionDecision"], "recall" in refused["permissionDecisionReason"]) == ("deny", True)
    assert hook("pre-tool-use") is None
    assert hook("pre-tool-use", session_id="s-2", tool_name="mcp__cued__recall") is None
    assert hook("pre-tool-use", session_id="s-2") is None


def test_a_prompt_that_was_looked_up_opens_the_gate(stocked):
    stocked("user-prompt")
    assert stocked("pre-tool-use") is None


def test_a_project_can_silence_each_hook(stocked, tmp_path):
    (stocked.project / ".cued.toml").write_text(
        "[hooks]\nsession_start = false\nuser_prompt = false\nstore_turns = false\nrecall_first = false\n", "utf-8"
    )
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, SAID)), "utf-8")
    assert [stocked(event) for event in SENT] == [None] * len(SENT)
    assert [line.rpartition(" ")[2] for line in stocked.log()] == ["off"] * len(SENT)


def test_a_project_can_set_its_scope_and_policy(stocked):
    (stocked.project / ".cued.toml").write_text('scope = "other"\npolicy = "recall"\n', "utf-8")
    assert "stove" not in stocked("session-start")["additionalContext"]
    assert stocked("user-prompt") is None


@pytest.mark.parametrize("event", SENT)
def test_nothing_stored_yet_is_silence(hook, cued, event):
    answer = hook(event)
    assert answer is None or event == "pre-tool-use"
    assert event in {"stop", "pre-compact"} or not cued.db.exists()


@pytest.mark.parametrize("event", [*SENT, "no-such-event", ""])
@pytest.mark.parametrize("stdin", ["", "{", "[]", '{"session_id": 7}', '{"cwd": "\\u0000"}', "\0", '{"prompt": "' + "x" * 50_000 + '"}'])
def test_whatever_comes_in_nobody_is_stopped(hook, event, stdin):
    hook(event, stdin=stdin)
    assert len(hook.log()) == 1


def test_who_calls_a_hook_by_hand_sees_what_is_wrong(hook, cued):
    done = cued("hook", "SessionStart", stdin="{}")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.startswith("cued hook: failed: InputError: event; accepted: one of session-start, ")
    assert not cued("hook", "session-start", stdin="{}").stderr


def test_a_store_or_a_project_that_is_broken_stops_nobody_and_is_logged(stocked, cued):
    (stocked.project / ".cued.toml").write_text("nonsense", "utf-8")
    assert stocked("user-prompt") is None
    (stocked.project / ".cued.toml").unlink()
    cued.db.write_bytes(b"no database")
    assert [stocked(event) for event in ("session-start", "user-prompt", "stop")] == [None] * 3
    assert [("failed: InputError" in line, "failed: ForeignFileError" in line) for line in stocked.log()] == [
        (True, False),
        *[(False, True)] * 3,
    ]


def test_where_a_session_cannot_be_kept_memories_still_come_and_the_gate_is_silent(stocked, tmp_path):
    (tmp_path / "cache").write_text("a file in the place of the folder", "utf-8")
    assert "stove" in stocked("session-start")["additionalContext"]
    assert "stove" in stocked("user-prompt")["additionalContext"]
    assert stocked("pre-tool-use") is None


def test_a_session_that_is_damaged_begins_anew(stocked, tmp_path):
    stocked("user-prompt")
    (kept,) = (tmp_path / "cache" / "cued" / "sessions").iterdir()
    kept.write_bytes(b'{"shown": ["\xff"]}')
    assert "stove" in stocked("user-prompt")["additionalContext"]


@pytest.mark.parametrize(
    "args", [("--no-such-option",), ("--db", ""), ("--db", os.sep), ("--embedder", "nonsense"), ("--policy", "nonsense")]
)
def test_a_wrong_option_stops_nobody(stocked, args):
    assert stocked("user-prompt", *args) is None or args == ("--no-such-option",)


def test_the_log_says_nothing_of_what_was_said_and_stays_small(stocked, tmp_path):
    stocked("user-prompt", prompt="What does the stove need? My key is hunter2.")
    stocked("user-prompt", prompt="hunter2 \ud83d")
    stocked("stop", session_id="hunter2" * 100)
    (tmp_path / "t.jsonl").write_text(json.dumps({"type": "user", "message": {"content": "hunter2" * 20_000}}), "utf-8")
    stocked("stop")
    assert "hunter2" not in "".join(stocked.log())
    file = tmp_path / "cache" / "cued" / "hooks.log"
    file.write_bytes(b"x" * 99 + b"\n" + b"y\n" * 600_000)
    stocked("user-prompt")
    assert file.stat().st_size < 600_000


def test_a_process_answers_on_stdout_alone(process, tmp_path):
    process("remember", "The stove needs gas.")
    sent = json.dumps({"session_id": "x", "cwd": str(tmp_path), "prompt": "What does the stove need?"}).encode()
    done = process("hook", "user-prompt", input=sent, env={"XDG_CACHE_HOME": str(tmp_path / "cache"), "HOME": str(tmp_path)})
    assert (done.returncode, done.stderr) == (0, b"")
    assert "gas" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
