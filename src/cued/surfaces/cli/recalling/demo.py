"""`cued demo`: a made-up history, kept in this process alone, and what it brings to mind. Only the history is made up."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from typing import TYPE_CHECKING, Any

import click

from cued.handles.memories import open_memories
from cued.model.plain import JSON, plain
from cued.policy.presets import DEFAULT
from cued.surfaces.cli.commands import Command, Settings, settings
from cued.surfaces.cli.opening import noting_warnings
from cued.surfaces.cli.output import show
from cued.surfaces.verbs import call

if TYPE_CHECKING:
    from rich.console import RenderableType

_ROWS = 4
_WIDEST = 100


@click.command(name="demo", cls=Command, globals_shown=("embedder", "policy", "json"))
def demo_command() -> None:
    """Show what this is, in one screenful: a small history in memory, five cues and an explanation. Nothing is stored."""
    chosen = settings()
    history = tomllib.loads(resources.files(__package__).joinpath("demo_history.toml").read_text("utf-8"))
    answer = played(history, chosen)
    show(answer, lambda: _drawn(answer, history))


def played(history: Mapping[str, Any], chosen: Settings) -> JSON:
    """Every scene with its answer, from a store that holds the history at the history's own time."""
    with noting_warnings():
        memories = open_memories(
            None, embedder=chosen.embedder, policy=chosen.policy or DEFAULT, settle="off", clock=lambda: history["now"]
        )
    with memories:
        tenant = memories.tenant("mira")
        tenant.remember_many(history["memories"])
        scenes = [{**scene, "answer": call(scene["command"], tenant, scene["ask"])} for scene in history["scenes"]]
    return plain({"now": history["now"], "memories": len(history["memories"]), "scenes": scenes})


def _drawn(answer: JSON, history: Mapping[str, Any]) -> "RenderableType":
    from rich.console import Group  # noqa: PLC0415 - rich is only loaded to draw
    from rich.text import Text  # noqa: PLC0415

    from cued.surfaces.cli.recalling.explain_view import explain_view  # noqa: PLC0415
    from cued.surfaces.cli.tables import recall_view, width  # noqa: PLC0415 - rich is only loaded to draw

    def scene_view(scene: JSON) -> Group:
        recalled = (
            recall_view(scene["answer"], now=history["now"], brief=True, aside="asides" in scene)
            if scene["command"] == "recall"
            else explain_view(scene["answer"], top=_ROWS, columns=min(_WIDEST, width()))
        )
        return Group(Text(""), Text(scene["title"], style="bold"), Text(_typed(scene), style="cyan"), recalled)

    opening = f"{answer['memories']} memories of an engineer's assistant, May 2025 to February 2026; today is {history['now']:%d %B %Y}."
    return Group(Text(opening), *map(scene_view, answer["scenes"]))


def _typed(scene: JSON) -> str:
    """The scene as it would be typed."""
    options = "".join(f" --{name.replace('_', '-')} {value}" for name, value in scene["ask"].items() if name != "text")
    return f'$ cued {scene["command"]} "{scene["ask"]["text"]}"{options}'
