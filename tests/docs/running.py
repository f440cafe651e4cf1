"""Running a page's blocks: Python in one namespace a page, commands in one shell a page, both in a folder of their own."""

import ast
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import warnings
from typing import NamedTuple

from tests.docs.pages import ROOT

_ID = re.compile(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b")
_MILLISECONDS = re.compile(r"\d+(?:\.\d+)? ms\b")
_WRITTEN = re.compile(r"\bwritten \d{4}-\d\d-\d\d( \((?:just now|[^()]* ago)\))?")
_MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z")
_TIME = re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b")
_REVISION = re.compile(r"@[0-9a-f]{12}/")
_SPAN = re.compile(r"\b\d+ (?:minutes?|hours?|days?|weeks?|months?|years?) (?:ago|old)\b|\bjust now\b")
_BYTES = re.compile(r"\b\d[\d,]* bytes\b")
_AGE = re.compile(r"\b(?:\d+ (?:y|mo|d|h|min)|now)$", re.MULTILINE)
_NUMBER = re.compile(r"(-?\d*\.\d+)")
_TABLE = re.compile(r"(?P<rule>─{3,})|(?P<bar>[▰▱]{5})|(?P<gap>[ \t]{2,})")
_SPACES = re.compile(r"[ \t]+$", re.MULTILINE)
_CLOSE = 0.02
_EXPECTED = re.compile(r"#\s*→\s*(?P<value>.+?)\s*$")
_MARK = "@@@ doc block"


class Said(NamedTuple):
    """What a page shows in its lines `first` to `last` and what was really said; both steady where runs may differ."""

    first: int
    last: int
    expected: str
    got: str
    raw: str
    tolerance: float = 0.0

    @property
    def holds(self):
        """Tell whether the page is right: the same words, and numbers as near as a model's are from one processor to another."""
        expected, got = _NUMBER.split(self.expected), _NUMBER.split(self.got)
        return expected[::2] == got[::2] and all(
            abs(float(a) - float(b)) <= self.tolerance for a, b in zip(expected[1::2], got[1::2], strict=True)
        )


class Command(NamedTuple):
    """One command of a console block, the output shown under it, and the lines from its first to its last."""

    typed: str
    shown: str
    line: int
    last: int


def steady(text, seen=None):
    """Give a text with ids numbered in order, without times that depend on the day or the machine, and with tables drawn narrow.

    `seen` has the numbers of the ids before it on the page, so that one memory is shown under one id from block to block.
    """
    seen = {} if seen is None else seen
    text = _REVISION.sub("@<revision>/", _TIME.sub("<time>", _MOMENT.sub("<moment>", text)))
    text = _ID.sub(lambda match: f"<id {seen.setdefault(match[0], len(seen) + 1)}>", text)
    text = _WRITTEN.sub(lambda found: f"written <day>{' (<age>)' if found[1] else ''}", _MILLISECONDS.sub("<n> ms", text))
    text = _BYTES.sub("<n> bytes", _SPAN.sub("<span>", text))
    text = _AGE.sub("<age>", _SPACES.sub("", text))
    return _TABLE.sub(lambda match: {"rule": "─", "bar": "▰", "gap": " "}[match.lastgroup], text).strip()


def run_python(page):
    """Run a page's Python blocks in order, and give everything it claims that they say."""
    namespace = {"__name__": "__main__"}
    claims, shown, said = [], {}, {}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for block in page.blocks:
            if block.language != "python" or block.skipped:
                continue
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                claims += _run_block(block, namespace, page.name)
            follower = page.follower(block)
            if follower is not None:
                lines = follower.line + 1, follower.line + follower.text.count("\n")
                claims.append(Said(*lines, steady(follower.text, shown), steady(printed.getvalue(), said), printed.getvalue()))
            elif printed.getvalue():
                claims.append(Said(block.line, block.line, "no output, or a `text` block with it behind", printed.getvalue(), ""))
    return claims


def _run_block(block, namespace, name):
    """Run one block statement by statement; an expression with `# → value` behind it claims that value."""
    lines = block.text.splitlines()
    for statement in ast.parse(block.text, name).body:
        ast.increment_lineno(statement, block.line)
        last = lines[statement.end_lineno - block.line - 1]
        expected = _EXPECTED.search(last)
        if isinstance(statement, ast.Expr) and expected is not None:
            value = eval(compile(ast.Expression(statement.value), name, "eval"), namespace)
            got = str(value) if str(value) == expected["value"] else repr(value)
            yield Said(statement.end_lineno, statement.end_lineno, expected["value"], got, last[: expected.start("value")] + got)
        else:
            exec(compile(ast.Module([statement], []), name, "exec"), namespace)


def commands_of(block):
    """Give the commands of a console block; a line that ends in a backslash goes on in the next."""
    found = []
    for number, text in enumerate(block.text.splitlines(), block.line + 1):
        if text.startswith("$ "):
            found.append(Command(text[2:], "", number, number))
        elif found:
            typed, shown, line, _ = found[-1]
            goes_on = typed.endswith("\\") and not shown
            found[-1] = Command(f"{typed}\n{text}", "", number, number) if goes_on else Command(typed, f"{shown}{text}\n", line, number)
    return found


def run_console(page, folder):
    """Run a page's commands in one shell, and give what each was to say and said; one that fails unannounced says so."""
    commands = [c for b in page.blocks if b.language == "console" and not b.skipped for c in commands_of(b)]
    if not commands:
        return []
    script = ["mark() { local code=$?; printf '\\n%s %s\\n' '" + _MARK + "' $code; return $code; }"]
    for command in commands:
        script += [command.typed, "mark"]
    finished = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=folder,
        env=_environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=300,
    )
    said = re.split(rf"\n{_MARK} (\d+)\n", finished.stdout.decode().replace(str(folder), "~"))
    return list(_claims(commands, said[:-1:2], said[1::2]))


def _claims(commands, outputs, codes):
    following, shown, said = [command.typed for command in commands[1:]] + [""], {}, {}
    for command, output, code, after in zip(commands, outputs, codes, following, strict=True):
        if code != "0" and after != "echo $?":
            yield Said(command.line, command.line, f"exit code 0 of {command.typed}", f"exit code {code}: {output}", "")
        elif command.shown.strip():
            yield Said(command.line + 1, command.last, steady(command.shown, shown), steady(output, said), output, _CLOSE)


def rewritten(page, folder):
    """Give the page as it is where all that it shows holds, else with every output replaced by what is said now: ids are of one run."""
    lines, claims = page.text.splitlines(), [*run_python(page), *run_console(page, folder)]
    for claim in sorted(claims, reverse=True) if not all(claim.holds for claim in claims) else ():
        if claim.raw:
            lines[claim.first - 1 : claim.last] = [line.rstrip() for line in claim.raw.strip("\n").splitlines()]
    return "\n".join(lines) + "\n"


def _environment(folder):
    """Give an environment whose `cued` is this checkout's, and whose home is the folder."""
    tools = folder / "bin"
    tools.mkdir(exist_ok=True)
    command = tools / "cued"
    command.write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} -c 'from cued.surfaces.cli import main; main()' \"$@\"\n")
    command.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("CUED_", "XDG_", "PYTEST"))}
    paths = os.pathsep.join([str(tools), kept.get("PATH", os.defpath)])
    return kept | {"PATH": paths, "HOME": str(folder), "COLUMNS": "100", "PYTHONPATH": str(ROOT / "src"), "PYTHONUTF8": "1"}
