"""Where a platform keeps what belongs to a user: data that is theirs, and what can be made again."""

import os
import sys
from pathlib import Path
from typing import Literal

Purpose = Literal["data", "cache"]


def user_folder(purpose: Purpose) -> Path:
    """Give Cued's own folder for this purpose; it may not be there yet."""
    home = Path.home()
    if sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        folder = home / "Library" / _MAC[purpose]
    else:
        variable, usual = _XDG[purpose]
        folder = Path(os.environ.get(variable) or home / usual)
    return folder / "cued"


_MAC: dict[Purpose, str] = {"data": "Application Support", "cache": "Caches"}
_XDG: dict[Purpose, tuple[str, str]] = {"data": ("XDG_DATA_HOME", ".local/share"), "cache": ("XDG_CACHE_HOME", ".cache")}
