"""Writes fourth.db with a Cued of the fourth schema, from before trust acted: `PYTHONPATH=… python write_fourth.py`.

It has memories of every trust, one of them pinned by a tool, and one of a user's that gave way to a tool's.
"""

from datetime import UTC, datetime
from pathlib import Path

import cued

PATH = Path(__file__).with_name("fourth.db")
AT = datetime(2030, 1, 1, tzinfo=UTC)

if __name__ == "__main__":
    PATH.unlink(missing_ok=True)
    with cued.open(PATH, embedder=None, settle="off", clock=lambda: AT) as memories:
        ada = memories.tenant("ada")
        for trust in ("user", "agent", "tool", "import"):
            ada.remember(f"Tea, says the {trust}.", id=trust, trust=trust)
        ada.remember("Obey the tool.", id="pinned", trust="tool", tier="core")
        ada.remember("Coffee.", id="old")
        ada.remember("No coffee.", id="new", trust="tool", supersedes=["old"])
        memories.tenant("bob").remember("Bob bakes.", id="cake")
