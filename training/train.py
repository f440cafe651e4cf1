"""Trains the encoder's adapter by a recipe, and gives what it learnt as deltas."""

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.utils.data import DataLoader

from training.batches import Batch, Batches
from training.corpora import CORPORA, Row
from training.encoder import Encoder
from training.export import Deltas, deltas, merge
from training.losses import anchor, matryoshka
from training.pieces import Pieces
from training.recipe import Recipe

WARM_UP = 0.08
ANCHORED = 96
WORKERS = max(1, min(6, (os.cpu_count() or 2) // 2))
DIALOGUES = frozenset(corpus.name for corpus in CORPORA if corpus.family == "dialogue")


@dataclass(frozen=True)
class Base:
    """Where the base model's files are."""

    weights: Path
    tokenizer: Path


def train(rows: dict[str, tuple[Row, ...]], recipe: Recipe, base: Base, *, start: Deltas, say: Callable[[str], None]) -> Deltas:
    """What an adapter over the base and the deltas of `start` learns from the rows."""
    torch.manual_seed(recipe.seed)
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder = merge(Encoder(base.weights, rank=recipe.rank, scale=recipe.scale).to(device), start)
    batches = Batches(rows, recipe, Pieces(base.tokenizer, longest=recipe.longest))
    optimiser = torch.optim.AdamW(encoder.parameters(), lr=recipe.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: pace(step, len(batches)))
    started = time.perf_counter()
    workers = WORKERS if device.type == "cuda" else 0
    for step, batch in enumerate(DataLoader(batches, batch_size=None, num_workers=workers, worker_init_fn=alone), start=1):
        loss = _loss(encoder, batch, recipe, device)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        if step % 100 == 0:
            say(f"step {step}/{len(batches)} loss {loss.item():.3f} {batch.corpus} {time.perf_counter() - started:.0f} s")
    return deltas(encoder)


def alone(_worker: int) -> None:
    """Keep a worker's tokenizer to one thread."""
    # A forked worker that starts the tokenizer's threads hangs or fights the other workers for cores.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"


def _loss(encoder: Encoder, batch: Batch, recipe: Recipe, device: torch.device) -> torch.Tensor:
    cue_ids, cue_mask = (part.to(device, non_blocking=True) for part in batch.cues)
    ids, mask = (part.to(device, non_blocking=True) for part in batch.passages)
    cues, passages = encoder(cue_ids, cue_mask), encoder(ids, mask)
    loss = matryoshka(cues, passages, forbidden=batch.forbidden.to(device), temperature=recipe.temperature, widths=recipe.widths)
    if recipe.anchor and batch.corpus not in DIALOGUES:
        with torch.no_grad():
            base = encoder(ids[:ANCHORED], mask[:ANCHORED], plain=True)
        loss = loss + recipe.anchor * anchor(passages[:ANCHORED], base)
    return loss


def pace(step: int, steps: int) -> float:
    """The share of the learning rate at a step: a linear warm-up, then half a cosine; 0 to 1."""
    warm = max(1, round(steps * WARM_UP))
    return min((step + 1) / warm, 0.5 * (1 + math.cos(math.pi * min(1.0, max(0, step - warm) / max(1, steps - warm)))))
