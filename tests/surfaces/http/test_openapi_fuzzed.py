"""Schemathesis asks the server whatever its OpenAPI allows and much that it does not; nothing may fail or answer otherwise than told."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("schemathesis", reason="schemathesis is not installed")

EXAMPLES = os.environ.get("CUED_SCHEMATHESIS_EXAMPLES", "5")
"""How many requests are made up for each operation and phase; the suite has a minute for this."""
CONFIG = """
[checks]
# A schema cannot say all: a text of white space alone, an unknown preset or a recall that is not in the log is refused with 422.
positive_data_acceptance.expected-statuses = ["2xx", "401", "403", "404", "409", "412", "422"]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "415", "422"]
# DELETE without `erase` hides a memory from recalls and lists; GET still shows it, with `forgotten_at`, so that it can be restored.
use_after_free.enabled = false
"""


def test_every_check_of_schemathesis_holds(server, tmp_path):
    config = tmp_path / "schemathesis.toml"
    config.write_text(CONFIG, "utf-8")
    written, _ = server.tokens.create("mira", scope="admin")
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(config), "run", f"{server.url}/v1/openapi.json"]
    how = ["--checks", "all", "-n", EXAMPLES, "--seed", "1", "--continue-on-failure", "-H", f"Authorization: Bearer {written}"]
    done = subprocess.run([*command, *how], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
