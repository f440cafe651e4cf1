"""The command line as a process: pipes, terminals, signals and exit codes."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys

import pytest

posix = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals and signals are POSIX")
# A shell starts what runs in the background with SIGINT ignored, and a child inherits that.
INTERRUPTIBLE = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)
# Runs a command as the shell does, and tells as it ends: is all of it left alone, how many threads has it, what would a child inherit?
TELLING = """
import atexit, gc, os, sys
del sys.argv[1:3]
tell = lambda: (len(gc.get_objects()) < gc.get_freeze_count(), len(os.listdir("/proc/self/task")), "OPENBLAS_NUM_THREADS" in os.environ)
atexit.register(lambda: print(*tell(), file=sys.stderr))
from cued.surfaces.cli import main
main()
"""
ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def terminal():
    """Give the two ends of a pseudo-terminal: what a person sees, and what the process writes to."""
    pty = pytest.importorskip("pty", reason="pseudo-terminals are POSIX")
    seen, written = pty.openpty()
    yield seen, written
    for end in (seen, written):
        os.close(end)


def interrupted(waiting):
    """What a process says as it ends on Ctrl-C; one that was pressed just before its wait began is pressed again, as a person does."""
    for _ in range(6):
        waiting.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return waiting.communicate(timeout=10)
    waiting.kill()
    return waiting.communicate()


def until(seen, wanted):
    """Give what the terminal shows, up to and with the wanted bytes."""
    shown = b""
    while wanted not in shown:
        shown += os.read(seen, 4096)
    return shown


def test_python_runs_the_package_as_the_command():
    done = subprocess.run([sys.executable, "-m", "cued", "--version"], capture_output=True, check=True)
    assert done.stdout.startswith(b"cued ")


def test_a_pipe_of_commands_keeps_stdout_for_the_answer(process):
    stored = process("remember", "-", "--json", input="Mira is allergic to peanuts. ✓".encode())
    assert (stored.returncode, stored.stderr) == (0, b"")
    found = process("recall", "peanuts", "--floor", "0", "--json")
    assert json.loads(found.stdout)["memories"][0]["id"] == json.loads(stored.stdout)["id"]
    assert found.stderr == b""


def test_a_mark_of_the_byte_order_before_a_text_is_no_part_of_it(process):
    process("remember", "-", "--id", "tea", input="\ufeffLikes tea.\r\n".encode())
    assert json.loads(process("get", "tea", "--json").stdout)["text"] == "Likes tea."


@pytest.mark.parametrize("verb", ["remember", "recall"])
def test_of_a_text_without_an_end_no_more_is_read_than_one_may_be(process, verb):
    done = process(verb, "-", input=b"a" * 1_000_000)
    assert (done.returncode, b"text: got 'more than 400003 bytes on stdin'; accepted: at most 100000" in done.stderr) == (2, True)


@posix
@pytest.mark.parametrize("verb", ["recall", "remember"])
def test_of_a_line_without_an_end_no_more_is_read_than_one_may_be(process, tmp_path, verb):
    endless = tmp_path / "endless.jsonl"
    with endless.open("wb") as file:
        file.truncate(2_000_000_000)
    done = process(verb, "--jsonl", endless, preexec_fn=_with_little_memory)
    assert (done.returncode, b"line: got '4000002 bytes'; accepted: at most 4000000 bytes" in done.stderr) == (2, True)


def test_a_cue_of_brackets_without_end_is_refused(process):
    done = process("recall", "--jsonl", "-", input=b'{"text": ' + b"[" * 100_000)
    assert (done.returncode, b"line 1: got " in done.stderr) == (2, True)


def _with_little_memory():
    import resource  # noqa: PLC0415 - not everywhere

    resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))


def test_what_is_no_terminal_gets_no_colour_and_no_bar(process):
    stored = process("remember", "--jsonl", "-", input=b'{"text": "One."}\n{"text": "Two."}\n')
    assert (stored.returncode, stored.stderr) == (0, b"")
    drawn = process("list", env={"FORCE_COLOR": "1"})
    assert b"One." in drawn.stdout
    assert not ESCAPES.search(drawn.stdout)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_of_the_terminal_is_written_to(process, encoding):
    process("remember", "Straße 豆 ✓")
    drawn = process("recall", "Straße", "--floor", "0", env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})
    assert drawn.returncode == 0, drawn.stderr
    assert "Straße 豆 ✓".encode(encoding, "replace") in drawn.stdout
    answer = process("recall", "Straße", "--floor", "0", "--json", env={"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"})
    assert json.loads(answer.stdout)["memories"][0]["text"] == "Straße 豆 ✓"


@pytest.mark.parametrize(("args", "code"), [(("list",), 0), (("recall",), 2), (("get", "nope"), 3), (("--db", __file__, "list"), 4)])
def test_exit_codes_leave_the_process(process, args, code):
    process("remember", "One.")
    assert process(*args).returncode == code


@pytest.fixture
def no_models(tmp_path):
    """Give a search path on which the model wheel has no model and sentence-transformers cannot be imported."""
    folder = tmp_path / "path"
    (folder / "cued_minilm").mkdir(parents=True)
    (folder / "cued_minilm" / "__init__.py").write_text("ENCODERS = {}\n", "utf-8")
    (folder / "sentence_transformers.py").write_text('raise ImportError("absent")\n', "utf-8")
    return os.pathsep.join([str(folder), *sys.path])


def test_an_embedder_that_fails_leaves_the_memory_stored_and_says_what_is_pending(process, no_models):
    embedder = ("--embedder", "sentence-transformers:some")
    stored = process("remember", "Peanuts.", *embedder, "--json", env={"PYTHONPATH": no_models})
    answer = json.loads(stored.stdout)
    assert stored.returncode == 0
    assert answer["degraded"][0].startswith("vector pending: ")
    assert answer["degraded"][0].encode() in stored.stderr
    assert json.loads(process("stats", "--json").stdout)["pending_vectors"] == 1
    drawn = process("recall", "peanuts", *embedder, env={"PYTHONPATH": no_models})
    assert drawn.returncode == 0
    assert b"Degraded: dense: " in drawn.stdout


def test_an_embedder_that_cannot_be_had_has_its_own_exit_code(process, no_models):
    refused = process("remember", "One.", "--embedder", "minilm", "--json", env={"PYTHONPATH": no_models})
    assert refused.returncode == 5
    assert "pip install cued-minilm" in json.loads(refused.stderr)["error"]["message"]
    weak = process("remember", "One.", "--embedder", "auto", "--json", env={"PYTHONPATH": no_models})
    assert weak.returncode == 0
    assert weak.stderr.startswith(b"note: cued_minilm is a source tree")
    assert json.loads(weak.stdout)["id"]


@posix
def test_a_reader_that_leaves_early_is_no_error(process):
    lines = b"".join(b'{"text": "Fact %d."}\n' % i for i in range(50))
    process("remember", "--jsonl", "-", input=lines)
    reading, writing = os.pipe()
    os.close(reading)
    try:
        left = process("list", capture_output=False, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (left.returncode, left.stderr) == (0, b"")


@posix
@pytest.mark.parametrize(
    ("closed", "args", "code"),
    [(1, ("list",), 0), (1, ("list", "--json"), 0), (1, ("demo",), 0), (0, ("remember",), 2), (0, ("mcp",), 0), (2, ("get", "nope"), 3)],
)
def test_a_stream_that_is_closed_says_and_hears_nothing(process, closed, args, code):
    process("remember", "The lamp is red.")
    shut = f"import os, sys; os.close({closed}); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    done = process(*args, by=("-c", shut), input=b"")
    assert (done.returncode, b"Traceback" in done.stderr) == (code, False)


@posix
def test_an_interrupt_leaves_quietly_with_130(process, terminal):
    seen, written = terminal
    ends = {"stdin": written, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    waiting = process("remember", runner=subprocess.Popen, by=("-c", INTERRUPTIBLE), **ends)
    assert b"Ctrl-D ends it" in waiting.stderr.readline()
    out, err = interrupted(waiting)
    assert (waiting.returncode, out, err.strip()) == (130, b"", b"")
    del seen


@posix
def test_a_terminal_gets_colour_unless_it_is_not_wanted_and_never_the_text_s_own(process, terminal):
    seen, written = terminal
    process("remember", "-", input=b"\x1b[7mone\x1b[0m")
    process("list", capture_output=False, stdout=written, env={"TERM": "xterm-256color"})
    coloured = until(seen, b"1 of 1")
    assert ESCAPES.search(coloured)
    assert b"\x1b[7m" not in coloured
    process("list", capture_output=False, stdout=written, env={"TERM": "xterm-256color", "NO_COLOR": "1"})
    assert not re.search(rb"\x1b\[[0-9;]*3[0-9]m", until(seen, b"1 of 1"))


@posix
def test_bulk_work_shows_a_bar_on_a_terminal(process, terminal, tmp_path):
    seen, written = terminal
    (tmp_path / "in.jsonl").write_text('{"text": "One."}\n{"text": "Two."}\n', "utf-8")
    ends = {"capture_output": False, "stdout": subprocess.PIPE, "stderr": written}
    stored = process("remember", "--jsonl", str(tmp_path / "in.jsonl"), env={"TERM": "xterm"}, **ends)
    assert len(stored.stdout.split()) == 2
    assert b"2/2" in until(seen, b"2/2")


@posix
def test_erasing_asks_on_a_terminal_and_no_is_no(process, terminal):
    seen, written = terminal
    found = json.loads(process("remember", "One.", "--json").stdout)["id"]
    os.write(seen, b"n\n")
    asked = process("forget", found, "--erase", capture_output=False, stdin=written, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert asked.returncode == 130
    assert b"Erase 1 memory for good?" in asked.stderr
    assert process("get", found).returncode == 0
    os.write(seen, b"y\n")
    assert process("forget", found, "--erase", capture_output=False, stdin=written, stdout=subprocess.PIPE).returncode == 0
    assert process("get", found).returncode == 3


@posix
def test_erasing_a_tenant_asks_for_its_name_and_another_name_is_no(process, terminal):
    seen, written = terminal
    found = json.loads(process("remember", "One.", "--tenant", "mira", "--json").stdout)["id"]
    args = ("forget", "--all", "--erase", "--tenant", "mira")
    ends = {"capture_output": False, "stdin": written, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    os.write(seen, b"yes\n")
    asked = process(*args, **ends)
    assert (asked.returncode, asked.stdout) == (130, b"")
    assert b"This erases mira for good: 1 memory and the recall log. Type the tenant's name: " in asked.stderr
    assert b"nothing is erased" in asked.stderr
    assert process("get", found, "--tenant", "mira").returncode == 0
    os.write(seen, b"mira\n")
    assert process(*args, **ends).returncode == 0
    assert process("get", found, "--tenant", "mira").returncode == 3


@posix
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("import", "lines.jsonl"), b"importing"),
        (("export", "again.jsonl"), b"exporting"),
        (("reembed",), b"embedding"),
        (("consolidate",), b"consolidating"),
        (("backup", "copy.db"), b"copying"),
    ],
)
def test_long_work_shows_a_bar_on_a_terminal(process, terminal, tmp_path, args, said):
    seen, written = terminal
    process("remember", "--jsonl", "-", "--embedder", "none", input=b'{"text": "One."}\n{"text": "Two."}\n')
    process("export", str(tmp_path / "lines.jsonl"))
    ends = {"capture_output": False, "stdout": subprocess.PIPE, "stderr": written}
    done = process(*args, cwd=tmp_path, env={"TERM": "xterm"}, **ends)
    assert (done.returncode, done.stdout != b"") == (0, True)
    assert said in until(seen, said)


@pytest.mark.skipif(sys.platform != "linux", reason="threads are counted in /proc")
@pytest.mark.parametrize("args", [("recall", "peanuts"), ("remember", "Two.")])
def test_one_answer_starts_no_threads_of_numpys_and_is_not_taken_apart(process, args):
    process("remember", "Peanuts.")
    done = process(*args, by=("-c", TELLING))
    assert (done.returncode, done.stderr) == (0, b"True 1 False\n")


def test_help_loads_no_command_and_nothing_to_draw_with():
    program = (
        "import sys, cued; before = set(sys.modules)\n"
        "from cued.surfaces.cli.root import cued_command\n"
        "try: cued_command(['--help'])\n"
        "except SystemExit: pass\n"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, env=env, timeout=60).stderr.decode().split()
    assert "cued.surfaces.cli.commands" in loaded
    assert not {"rich", "numpy", "onnxruntime", "apsw", "cued.surfaces.service", "cued.surfaces.cli.recall"} & set(loaded)
