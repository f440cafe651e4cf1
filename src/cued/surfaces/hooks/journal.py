"""The log of the hooks: a line for each event, without any text of the session, in a file that stays small."""

from datetime import UTC, datetime
from pathlib import Path

from cued.folders import user_folder

MOST_BYTES = 1_000_000


def path() -> Path:
    """Where the log is."""
    return user_folder("cache") / "hooks.log"


def write(event: str, outcome: str, *, ms: float) -> None:
    """Add a line on what happened; a log that has grown too long loses its older half."""
    file = path()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if file.exists() and file.stat().st_size > MOST_BYTES:
        file.write_bytes(file.read_bytes()[-MOST_BYTES // 2 :].partition(b"\n")[2])
    with file.open("a", encoding="utf-8", errors="replace") as log:
        log.write(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {event[:40]} {ms:.0f} ms {outcome[:500]}\n")
