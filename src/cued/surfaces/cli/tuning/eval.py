"""`cued eval`: how well policies recall on questions whose answers are known."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cued.embed import load_embedder
from cued.policy.presets import DEFAULT, load_policy
from cued.surfaces.cli.commands import Command, settings
from cued.surfaces.cli.opening import noting_warnings
from cued.surfaces.cli.output import note, show
from cued.surfaces.cli.progress import progress

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cued.evaluation.dataset import Dataset
    from cued.evaluation.report import Request
    from cued.model.plain import JSON

_NO_CACHE = "none"


class _ManyPolicies(Command):
    """A verb whose `--policy` may be repeated, in place of the global one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # noqa: ANN401 - handed on to click
        super().__init__(*args, **kwargs)
        self.params = [param for param in self.params if param in self.own or param.name != "policy"]


class _Numbers(click.ParamType[tuple[float, ...]]):
    """Numbers with commas between them."""

    name = "numbers"

    def __init__(self, kind: Callable[[str], float], example: str) -> None:
        self._kind, self._example = kind, example

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[float, ...]:  # noqa: ANN401 - click's own signature
        """The numbers in order, each once."""
        if isinstance(value, tuple):
            return value
        try:
            return tuple(dict.fromkeys(self._kind(part) for part in str(value).split(",")))
        except ValueError:
            self.fail(f"got {value!r}; accepted: numbers with commas between them, such as {self._example}", param, ctx)


@click.command(name="eval", cls=_ManyPolicies, globals_shown=("embedder", "json"))
@click.argument("path", metavar="DIR|FILE", type=click.Path(exists=True, path_type=Path))
@click.option("--policy", "policies", multiple=True, metavar="NAME|FILE", help=f"A policy to measure; may be repeated. Default: {DEFAULT}.")
@click.option("--k", "ks", type=_Numbers(int, "5,10"), default=(5, 10), show_default="5,10", help="How many of each ranking count.")
@click.option("--abstain", is_flag=True, help="Also measure the floor: own questions, near ones without an answer, and far ones.")
@click.option(
    "--floors",
    type=_Numbers(float, "0.5,0.7,0.9"),
    default=(),
    help="Floors to try beside the policy's own, such as 0.5,0.7,0.9; implies --abstain.",
)
@click.option("--ablate", is_flag=True, help="Also leave out each channel, score term and relevance column in turn.")
@click.option(
    "--plot", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), help="Write pictures (SVG) there; implies --abstain."
)
@click.option("--tenants", type=click.IntRange(min=1), metavar="N", help="Only the first N tenants.")
@click.option("--category", "categories", multiple=True, help="Only the questions of this category; may be repeated.")
@click.option("--cache", metavar="DIR|none", help="Where vectors and what was read are kept. Default: the user's cache folder.")
def eval_command(path: Path, cache: str | None, plot: Path | None, **options: Any) -> None:  # noqa: ANN401 - options, read below
    """Measure recall on the questions of a data set.

    DIR has memories.jsonl and queries.jsonl (.gz or not), a JSON object a line: memories {id, tenant, session, turn, speaker, text, ts},
    queries {id, tenant, query, asked_at, category, gold_ids, gold_sessions, goal, step, open_questions}; of a query only `query` is
    needed, and memories.jsonl may be what `cued export` writes. A query without gold is near, one of the category "far" is foreign, and
    other tenants' are foreign too. FILE is LoCoMo's or LongMemEval's own file.
    Each question is asked at its time, with the greatest k as the limit and no floor.
    """
    from cued.evaluation import cache as caches  # noqa: PLC0415 - only this verb needs the evaluation
    from cued.evaluation.dataset import narrowed  # noqa: PLC0415
    from cued.evaluation.formats import read  # noqa: PLC0415

    chosen = settings()
    dataset = narrowed(read(path), tenants=options["tenants"], categories=options["categories"])
    request = _request(dataset, options, preset=chosen.policy or DEFAULT, plotted=plot is not None)
    folder = None if cache == _NO_CACHE else caches.checked_folder(Path(cache).expanduser() if cache else caches.default_folder())
    answer = _evaluated(dataset, request, chosen.embedder, folder)
    if folder is not None:
        caches.prune(folder)
    if plot is not None:
        _plot(answer, plot)
    show(answer, lambda: _drawn(answer, options["floors"]))


def _request(dataset: "Dataset", options: dict[str, Any], *, preset: str, plotted: bool) -> "Request":
    from cued.evaluation.abstain import mixes  # noqa: PLC0415 - only this verb needs the evaluation
    from cued.evaluation.plots import FLOORS  # noqa: PLC0415
    from cued.evaluation.report import Request  # noqa: PLC0415

    curves = plotted and (options["abstain"] or mixes(dataset))
    if plotted and not curves:
        note("no curves of the floor: they need two tenants that have answerable questions, or questions without gold")
    floors = tuple(sorted({*options["floors"], *(FLOORS if curves else ())}))
    return Request(
        policies=tuple(load_policy(name) for name in options["policies"] or (preset,)),
        ks=tuple(sorted(options["ks"])),
        abstain=options["abstain"] or bool(floors),
        floors=floors,
        ablate=options["ablate"],
    )


def _evaluated(dataset: "Dataset", request: "Request", embedder: str | None, folder: Path | None) -> "JSON":
    from cued.evaluation.cached_embedder import CachedEmbedder  # noqa: PLC0415
    from cued.evaluation.evidence_cache import EvidenceCache  # noqa: PLC0415 - only this verb needs the evaluation
    from cued.evaluation.report import evaluate  # noqa: PLC0415
    from cued.evaluation.runner import Bench  # noqa: PLC0415

    with noting_warnings():
        made = None if embedder is None else CachedEmbedder(load_embedder(embedder), folder)
    try:
        with progress("evaluating") as heard:
            return evaluate(dataset, request, Bench(embedder=made, evidence=EvidenceCache(folder), progress=heard))
    finally:
        if made is not None:
            made.close()


def _plot(answer: "JSON", folder: Path) -> None:
    from cued.evaluation.plots import write  # noqa: PLC0415 - only where pictures are asked for

    for file in write(answer, folder):
        note(f"wrote {file}")


def _drawn(answer: "JSON", floors: tuple[float, ...]) -> "RenderableType":
    from cued.evaluation.drawing import drawn  # noqa: PLC0415 - rich is only loaded to draw

    return drawn(answer, floors=floors)
