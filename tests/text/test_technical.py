"""technical: code, commands, identifiers and errors by their spelling."""

import pytest

from cued.text.technical import technical


@pytest.mark.parametrize(
    "text",
    [
        "sqlite3.OperationalError: database is locked",
        "git rebase --onto main topic",
        "def with_backoff(call, attempts=5): ...",
        "getUserByEmail returns None when there is none",
        "/etc/nginx/conf.d/site.conf",
    ],
)
def test_what_is_spelt_like_code_is_technical(text):
    assert technical(text) > 0.5


@pytest.mark.parametrize("text", ["", "Which tea do I drink?", "Mia was born on 3 May 2016, at 10:05 in the morning.", "我的血型是O型。"])
def test_prose_is_not(text):
    assert technical(text) == 0.0
