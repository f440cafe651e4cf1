"""What a session has seen so far, kept from one hook to the next in a small file; if that is lost, something is only said twice."""

import hashlib
import time
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from cued.folders import user_folder
from cued.requests.checks import MAX_TAGS

KEPT_DAYS = 7
_DAY_SECONDS = 86_400


class Session(Struct, frozen=True, kw_only=True):
    """The memories that a session was shown, the newest last, and whether anything was recalled in it."""

    shown: tuple[str, ...] = ()
    recalled: bool = False

    def seen(self, ids: tuple[str, ...]) -> "Session":
        """The session after it was shown these memories."""
        return replace(self, shown=tuple(dict.fromkeys((*self.shown, *ids)))[-MAX_TAGS:])

    def after_recall(self) -> "Session":
        """The session after a recall."""
        return replace(self, recalled=True)


def load(session_id: str) -> Session:
    """The session as the last hook left it; a new one where there is none, or where its file is damaged."""
    try:
        return msgspec.json.decode(_path(session_id).read_bytes(), type=Session)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Session()


def save(session_id: str, session: Session) -> None:
    """Keep the session for the next hook, and delete the files of sessions that are long over."""
    path = _path(session_id)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        for old in path.parent.glob("*.json"):
            if time.time() - old.stat().st_mtime > KEPT_DAYS * _DAY_SECONDS:
                old.unlink(missing_ok=True)
    path.write_bytes(msgspec.json.encode(session))


def _path(session_id: str) -> Path:
    return user_folder("cache") / "sessions" / f"{hashlib.sha256(session_id.encode('utf-8', 'replace')).hexdigest()[:32]}.json"
