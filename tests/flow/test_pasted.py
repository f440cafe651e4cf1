"""What was pasted into a text, told from the words of whoever wrote it."""

import pytest

from cued.flow.pasted import identifiers, set_apart

LOG = """\
2026-11-18T07:12:44.102Z INFO  worker starting pid=1 consumer=billing-7f9c6d
2026-11-18T07:12:44.331Z ERROR unhandled exception in _drain
Traceback (most recent call last):
  File "/app/worker/main.py", line 84, in _drain
    messages = await self._queue.read(count=10)
redis.exceptions.ResponseError: NOGROUP No such key 'invoice-jobs' in XREADGROUP"""
CODE = "```python\n" + "\n\n".join(f"def part_{place}(row):\n    return row[{place}]\n# the next one" for place in range(6)) + "\n```"


@pytest.mark.parametrize("pasted", [LOG, CODE])
@pytest.mark.parametrize(
    "said",
    [
        "Why does the worker crash on staging?",
        "Warum stürzt der Worker ab?",
        "为什么测试环境的服务一直崩溃?",
        "The deploy with `make deploy --canary` hangs, what do we do then?",
    ],
)
def test_what_is_said_before_or_after_a_log_or_code_is_told_from_it(said, pasted):
    for text in (f"{said}\n\n{pasted}", f"{pasted}\n{said}"):
        own, rest = set_apart(text)
        assert own == said
        assert rest.splitlines()[-1] in pasted


@pytest.mark.parametrize(
    "text",
    [
        "",
        LOG[:150],
        "Our plan for the week:\n- Monday: paint the fence\n- Tuesday: call Mira about the boat\n" * 6,
        "A long remark about nothing in particular, " * 20,
        f"It says this: {LOG.splitlines()[-1]}\nWhy?",
    ],
)
def test_a_short_text_a_list_and_prose_are_left_whole(text):
    assert set_apart(text) == (text, "")


def test_identifiers_are_names_and_paths_and_no_times_or_numbers():
    found = identifiers(LOG)
    assert {"=invoice-jobs", "=redis.exceptions.responseerror"} <= set(found)
    assert not any(term.startswith("=2026") or term == "=07:12" for term in found)
    assert identifiers("") == ()
