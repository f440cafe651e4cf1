"""Draws two pictures from what Cued really says, the README's and that of relevance: `python -m tools.picture` writes them to docs/images.

The memories and the questions are made up; the answers are Cued's own, under the shipped model, drawn as the command line draws them.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from cued import Tenant
from cued.handles.memories import open_memories
from cued.policy.presets import preset
from cued.surfaces.cli.recalling.explain_view import explain_view
from cued.surfaces.cli.tables import recall_view
from cued.surfaces.verbs import call
from tools.picture.picture_of_relevance import picture_of_relevance

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
NOW = datetime(2026, 2, 16, 9, 30, tzinfo=UTC)
MEMORIES = (
    ("The staging deploy runs every Friday at 16:00.", 200, "deploy"),
    ("Mira prefers Postgres for anything relational.", 120, "postgres"),
    ("The kiln cracked in March and was replaced.", 330, "kiln"),
    ("Releases are frozen in the last week of the year.", 90, "freeze"),
    ("Bob bakes a lemon cake for every release.", 40, "cake"),
)
SCENES = (("recall", "when do we ship to staging?"), ("recall", "how long do I boil an egg?"), ("explain", "when do we ship to staging?"))
_WIDTH = 104
_THEME = TerminalTheme(
    (250, 250, 247),
    (38, 38, 38),
    [(38, 38, 38), (190, 50, 50), (40, 120, 60), (170, 110, 10), (40, 90, 170), (130, 60, 150), (10, 120, 130), (120, 120, 120)],
)


def pictures() -> dict[str, str]:
    """Each picture as SVG, which fetches nothing, by the name of its file."""
    with made_up() as mira:
        relevance = picture_of_relevance(mira, floor=preset("cued").floor.at or 0.0)
    return {"cued.svg": picture(), "relevance.svg": relevance}


@contextmanager
def made_up() -> Iterator[Tenant]:
    """A tenant with the made-up memories, at a time that stands still."""
    with open_memories(None, embedder="cued", settle="off", clock=lambda: NOW) as memories:
        mira = memories.tenant("mira")
        mira.remember_many([{"text": text, "id": name, "at": NOW - timedelta(days=days)} for text, days, name in MEMORIES])
        yield mira


def picture() -> str:
    """The README's picture: three commands and their answers."""
    console = Console(record=True, width=_WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor")
    with made_up() as mira:
        for verb, cue in SCENES:
            answer = call(verb, mira, {"text": cue})
            console.print(Text(f'$ cued {verb} "{cue}"', style="bold cyan"))
            console.print(recall_view(answer, now=NOW, brief=True) if verb == "recall" else explain_view(answer, top=4, columns=_WIDTH))
            console.print()
    drawn = console.export_svg(title="cued", theme=_THEME, unique_id="cued")
    fetching_nothing = re.sub(r"\s*@font-face \{.*?\}|<!-- Generated.*?-->", "", drawn, flags=re.DOTALL)
    return fetching_nothing.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace")
