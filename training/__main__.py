"""`python -m training`: one command that trains, averages, measures and writes the adapter."""

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import torch

from training import corpora, scenes
from training.encoder import LONGEST_TOKENS, Encoder
from training.evaluate import Model
from training.export import Deltas, added, average, load, load_rotation, merge, rotation, save, scaled
from training.mining import pool, with_mined
from training.pieces import Pieces
from training.recipe import OTHER_WORDS, OWN_PAIRS, Recipe, changed
from training.report import Figures, Sets, development, figures, held_out_mean, refusal
from training.train import Base, train

SHIPPED_RANK = 32
SHIPPED_STRENGTH = 1.0
HELD_OUT_AT_MOST = 120
OWN_SHARE = 10.0
ROTATED_TEXTS = 20_000
POOLED_TEXTS = 30_000
Rows = dict[str, tuple[corpora.Row, ...]]


def main() -> None:
    """Make the adapter, measure it, and write it to `--out` unless a better one is there."""
    options = _options()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    base = Base(options.base, options.tokenizer)
    recipe = changed(Recipe(seed=options.seed), json.loads(options.changes))
    recipe = replace(recipe, shares=recipe.shares | ({OWN_PAIRS: OWN_SHARE} if options.pairs else {}))
    rows, held = _rows(recipe, options)
    sets = Sets(development(options.data), held)
    if options.plain:
        _write(options.out / "figures-0.json", figures(_model(base, device, {}, prefix=""), sets), list(held))
        return
    start = load(options.start) if options.start else {}
    found = average([load(path) for path in options.average]) if options.average else _trained(recipe, base, options, start)
    for strength in options.strengths:
        fresh = options.out / f"encoder-{strength:g}.safetensors"
        _export(fresh, added(start, scaled(found, strength)), base, rows, recipe)
        model = _model(base, device, load(fresh), prefix=recipe.prefix, turn=load_rotation(fresh))
        result = figures(model, sets)
        _write(options.out / f"figures-{strength:g}.json", result, list(held))
    if len(options.strengths) == 1:
        _replace(fresh, options.out / "encoder.safetensors", (base, sets, recipe), result)


def _trained(recipe: Recipe, base: Base, options: argparse.Namespace, start: Deltas) -> Deltas:
    runs = [replace(recipe, seed=recipe.seed + run) for run in range(options.runs)]
    return average([train(_mined(_rows(run, options)[0], run, base, options), run, base, start=start, say=_say) for run in runs])


def _mined(rows: Rows, recipe: Recipe, base: Base, options: argparse.Namespace) -> Rows:
    those = {name for name in recipe.mined_for.split(",") if name in rows} if recipe.mined else set()
    if not those:
        return rows
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = _model(base, device, load(options.miner) if options.miner else {}, prefix=recipe.prefix)
    texts = pool(rows, at_most=POOLED_TEXTS)
    return rows | {name: with_mined(rows[name], texts, model.embed, count=recipe.mined) for name in sorted(those)}


def _export(path: Path, found: Deltas, base: Base, rows: Rows, recipe: Recipe) -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    texts = [text for name in sorted(rows) for row in rows[name] for text in (row.cue, row.answers[0])]
    sample = texts[:: max(1, len(texts) // ROTATED_TEXTS)]
    vectors = torch.from_numpy(_model(base, device, found, prefix=recipe.prefix).embed(sample))
    save(path, found, rank=SHIPPED_RANK, turn=rotation(vectors), facts={"recipe": json.dumps(asdict(recipe))})


def _replace(fresh: Path, kept: Path, measured: tuple[Base, Sets, Recipe], result: Figures) -> None:
    base, sets, recipe = measured
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if kept.exists():
        old = figures(_model(base, device, load(kept), prefix=recipe.prefix), Sets({}, sets.held_out))
        if reason := refusal(old, result, list(sets.held_out)):
            _say(f"refused to replace {kept}: {reason}; the new one stays in {fresh}")
            sys.exit(1)
    fresh.replace(kept)
    _say(f"written: {kept}")


def _model(base: Base, device: torch.device, found: Deltas, *, prefix: str, turn: torch.Tensor | None = None) -> Model:
    encoder = merge(Encoder(base.weights, rank=1).to(device), found)
    pieces = Pieces(base.tokenizer, longest=LONGEST_TOKENS)
    return Model(encoder, pieces, device, prefix=prefix, turn=None if turn is None else turn.to(device))


def _write(path: Path, found: Figures, held: list[str]) -> None:
    mean = held_out_mean(found, held)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found | {"held_out": (mean, mean, mean)}, indent=1))
    for name, (value, low, high) in found.items():
        _say(f"{name:42} {value:6.2f}  [{low:.2f}, {high:.2f}]")


def _rows(recipe: Recipe, options: argparse.Namespace) -> tuple[Rows, Rows]:
    written = scenes.rows(recipe.seed)
    rows: Rows = {name: found for name, found in written.items() if name in recipe.mix()}
    held: Rows = {}
    if OTHER_WORDS in rows:
        rows[OTHER_WORDS], held[OTHER_WORDS] = corpora.split(rows[OTHER_WORDS])
    files = {OWN_PAIRS: options.pairs} if options.pairs else {}
    if options.corpora.exists() or not options.pairs:
        files |= {corpus.name: corpora.find(corpus.name, options.corpora) for corpus in corpora.CORPORA if corpus.name not in written}
    for name, path in files.items():
        topic = name if name in corpora.OWN_NEGATIVES_ONLY else ""
        kept, out = corpora.split(corpora.read_rows(path, topic=topic))
        held[name] = out[:HELD_OUT_AT_MOST]
        if name in recipe.mix():
            rows[name] = kept
    return rows, held


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("--seed", type=int, default=7, help="of the first run; the others count on")
    parser.add_argument("--runs", type=int, default=1, help="runs to average; the shipped adapter has six")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--base", type=Path, required=True, help="model.safetensors of all-MiniLM-L6-v2")
    parser.add_argument("--tokenizer", type=Path, required=True, help="its tokenizer.json")
    parser.add_argument("--corpora", type=Path, default=corpora.folder())
    parser.add_argument("--pairs", type=Path, help="your own pairs, a JSON-lines file of q, pos and neg")
    parser.add_argument("--start", type=Path, help="an adapter to go on from, the shipped one for your own domain")
    parser.add_argument("--miner", type=Path, help="the adapter that finds negatives, the last one shipped; the base model unless told")
    parser.add_argument("--data", type=Path, default=Path("absent"), help="development data, only measured on")
    parser.add_argument("--changes", default="{}", help='numbers of the recipe to change, as JSON: {"steps": 300}')
    parser.add_argument("--average", type=Path, nargs="+", help="adapters to average in place of training")
    parser.add_argument("--plain", action="store_true", help="measure the base model")
    parser.add_argument("--strengths", type=float, nargs="+", default=[SHIPPED_STRENGTH], help="how much of what was learnt is kept")
    return parser.parse_args()


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    main()
