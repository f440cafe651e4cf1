"""What a type checker sees: a misspelt keyword or a wrong type is found before anything runs."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SNIPPET = """
import numpy as np

import cued
from cued import aio

def use(tenant: cued.Tenant) -> None:
    tenant.remember("x", importance=0.5, tags=["a"], at="2025-03-01", on_conflict="supersede", meta={"a": 1})
    tenant.remember("x", importence=0.5)  # refused
    tenant.remember("x", kind="dream")  # refused
    tenant.remember("x", on_conflict="panic")  # refused
    tenant.update("x", text="y", valid_until=None)
    tenant.update("x", txt="y")  # refused
    tenant.list(tags=["a"], limit=3, meta={"ticket": 7})
    tenant.list(tag="a")  # refused
    tenant.recall("x", limit=3, scope="p", without=["dense"])
    tenant.recall("x", limt=3)  # refused
    tenant.recall("x", intent="future")  # refused
    tenant.recall("x", vector=[0.1, 0.2], fingerprint="theirs")
    tenant.recall("x", vector=np.ones(2), fingerprint="theirs")
    tenant.remember("x", vector=np.ones(2, np.float32), fingerprint="theirs")
    lines: tuple[cued.RecallEntry, ...] = tenant.log(since="2025-03-01", outcome="recalled", content=True)
    tenant.log(sinc="2025-03-01")  # refused
    tenant.log(outcome="lost")  # refused
    cued.open("m.db", log=cued.LogRules(rows=10, content="sampled", share=0.1))
    cued.opn("m.db")  # refused
    cued.LogRules(content="all")  # refused
    tenant.conversation().recall("x", limit=3)
    tenant.conversation().recall("x", limt=3)  # refused
    recall: cued.Recall = tenant.recall(cued.Cue(utterance="x"))
    text: str = recall.memories[0].text
    number: int = recall.memories[0].text  # refused
    ids: list[str] = [each.id for each in recall]

async def wait(tenant: aio.AsyncTenant) -> None:
    recall: cued.Recall = await tenant.recall("x", limit=3)
    await tenant.recall("x", limt=3)  # refused
    await tenant.remember("x", importence=0.5)  # refused
    await tenant.log(sinc="2025-03-01")  # refused
    async with aio.open("m.db", embedder=None, threads=2) as memories:
        stats: cued.Stats = await memories.tenant("alice").stats()
    aio.open("m.db", embeder=None)  # refused
    aio.open("m.db", log=cued.LogRules(rows=10))
"""


def test_a_typo_in_a_keyword_fails_the_type_check(tmp_path):
    snippet = tmp_path / "snippet.py"
    snippet.write_text(SNIPPET, "utf-8")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", "--config-file", str(ROOT / "pyproject.toml"), str(snippet)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    refused = {int(line.split(":")[1]) for line in checked.stdout.splitlines() if ": error:" in line}
    assert refused == {number for number, line in enumerate(SNIPPET.split("\n"), 1) if line.endswith("# refused")}, checked.stdout
