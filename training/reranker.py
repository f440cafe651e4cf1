"""A small cross-encoder over the same base: cue and text read together by its first layers, an adapter, and one linear head."""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, Dataset

from training import scenes
from training.augment import Example
from training.batches import CPU, Batches
from training.corpora import Row, find, read_rows, split
from training.encoder import LONGEST_TOKENS, WIDTH, Encoder, padded
from training.evaluate import Conversations, Model, unit
from training.export import load, merge
from training.pieces import Pieces
from training.recipe import Recipe
from training.report import development
from training.train import WORKERS, Base, alone, pace

CANDIDATES = 8
SHORTLIST = 32
LONGEST_PAIR = 192


class Reranker(nn.Module):
    """One score a pair of cue and text; higher means that the text fits the cue."""

    def __init__(self, base: Base, *, depth: int, rank: int = 16) -> None:
        """Take the first `depth` layers of the base."""
        super().__init__()
        self.encoder = Encoder(base.weights, rank=rank)
        self.encoder.layers = self.encoder.layers[:depth]
        self.head = nn.Linear(WIDTH, 1)

    def forward(self, ids: Tensor, mask: Tensor, kinds: Tensor) -> Tensor:
        """The scores of a batch of pairs."""
        weights = mask.unsqueeze(2).float()
        states = self.encoder.states(ids, mask, kinds)
        scores: Tensor = self.head((states * weights).sum(1) / weights.sum(1)).squeeze(1)
        return scores


class Lists(Dataset[tuple[Tensor, Tensor, Tensor]]):
    """Lists of candidates, the right one first, a batch a step."""

    def __init__(self, batches: Batches, pieces: Pieces) -> None:
        """Draw the examples from the encoder's batches."""
        self._batches = batches
        self._pieces = pieces

    def __len__(self) -> int:
        """The number of steps."""
        return len(self._batches)

    def __getitem__(self, step: int) -> tuple[Tensor, Tensor, Tensor]:
        """The ids, mask and segment marks of a step's pairs, `CANDIDATES` a cue."""
        if step >= len(self):
            raise IndexError(step)
        _, examples = self._batches.examples(step)
        pairs = [(one.cue, text) for one in examples for text in _candidates(one, examples)]
        ids, kinds = self._pieces.pairs(pairs)
        tokens, mask = padded(ids, CPU)
        return tokens, mask, padded(kinds, CPU)[0]


def _candidates(one: Example, examples: list[Example]) -> list[str]:
    strangers = [other.positive for other in examples if not other.positive.keys & one.answers]
    own = [passage.text for passage in (one.positive, *one.negatives)]
    return (own + [passage.text for passage in strangers] * CANDIDATES)[:CANDIDATES]


def train(rows: dict[str, tuple[Row, ...]], recipe: Recipe, base: Base, *, depth: int, say: Callable[[str], None]) -> Reranker:
    """A reranker trained to put the right candidate of each list first."""
    torch.manual_seed(recipe.seed)
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Reranker(base, depth=depth, rank=recipe.rank).to(device)
    pieces = Pieces(base.tokenizer, longest=LONGEST_PAIR)
    lists = Lists(Batches(rows, recipe, pieces), pieces)
    optimiser = torch.optim.AdamW(model.parameters(), lr=recipe.learning_rate, weight_decay=0.01)
    steps = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: pace(step, len(lists)))
    loader = DataLoader(lists, batch_size=None, num_workers=WORKERS if device.type == "cuda" else 0, worker_init_fn=alone)
    for step, batch in enumerate(loader, start=1):
        scores = model(*(part.to(device, non_blocking=True) for part in batch)).view(-1, CANDIDATES)
        loss = functional.cross_entropy(scores, torch.zeros(len(scores), dtype=torch.long, device=device))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        steps.step()
        if step % 100 == 0:
            say(f"reranker step {step}/{len(lists)} loss {loss.item():.3f}")
    return model


def scores(model: Reranker, pieces: Pieces, pairs: Sequence[tuple[str, str]], *, batch: int = 512) -> np.ndarray:
    """The model's score of each pair."""
    device = model.head.weight.device
    found = []
    with torch.inference_mode():
        for start in range(0, len(pairs), batch):
            ids, kinds = pieces.pairs(pairs[start : start + batch])
            tokens, mask = padded(ids, device)
            found.append(model(tokens, mask, padded(kinds, device)[0]).float().cpu().numpy())
    return np.concatenate(found)


@dataclass(frozen=True)
class Bm25:
    """Okapi BM25 over one tenant's texts (Robertson and Zaragoza 2009), k1 = 1.2, b = 0.75."""

    documents: tuple[Counter[str], ...]

    def score(self, query: str) -> np.ndarray:
        """Each text's score; ≥ 0."""
        lengths = np.array([sum(document.values()) for document in self.documents], float)
        total = np.zeros(len(self.documents))
        for word in set(words(query)):
            counts = np.array([document[word] for document in self.documents], float)
            seen = (counts > 0).sum()
            weight = np.log1p((len(self.documents) - seen + 0.5) / (seen + 0.5))
            total += weight * counts * 2.2 / (counts + 1.2 * (0.25 + 0.75 * lengths / max(1.0, lengths.mean())))
        return total


def words(text: str) -> list[str]:
    """The lower-cased words of a text."""
    return re.findall(r"\w+", text.lower())


@dataclass(frozen=True)
class Shortlist:
    """A question's best candidates before reranking, with their blended scores."""

    cue: str
    gold: frozenset[str]
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    blend: np.ndarray


def shortlists(model: Model, data: Conversations, *, lexical_weight: float = 0.15) -> list[Shortlist]:
    """Each question's best 32 by dense + lexical_weight · BM25, both divided by their maximum."""
    found = []
    tenants = sorted({memory["tenant"] for memory in data.memories})
    for tenant in tenants:
        memories = [memory for memory in data.memories if memory["tenant"] == tenant]
        texts = [data.text(memory) for memory in memories]
        index, vectors = Bm25(tuple(Counter(words(text)) for text in texts)), unit(model.embed(texts), WIDTH)
        for query in (query for query in data.queries if query["tenant"] == tenant):
            cue = str(query["query"])
            lexical, dense = index.score(cue), (unit(model.cues([cue]), WIDTH) @ vectors.T)[0]
            both = dense / max(dense.max(), 1e-9) + lexical_weight * lexical / max(lexical.max(), 1e-9)
            best = np.argsort(-both, kind="stable")[:SHORTLIST]
            ids = tuple(memories[index]["id"] for index in best)
            found.append(Shortlist(cue, frozenset(query["gold_ids"]), ids, tuple(texts[index] for index in best), both[best]))
    return found


def gains(model: Reranker, pieces: Pieces, lists: Sequence[Shortlist]) -> dict[str, float]:
    """Recall@5 in per cent of the blend, of the reranker alone and of both added as z-scores; and what the shortlists hold."""
    columns: dict[str, list[float]] = defaultdict(list)
    flat = scores(model, pieces, [(one.cue, text) for one in lists for text in one.texts])
    at = 0
    for one in lists:
        own = flat[at : at + len(one.texts)]
        at += len(one.texts)
        orders = {"blend": one.blend, "reranked": own, "mixed": _z(own) + _z(one.blend), "mixed_half": 0.5 * _z(own) + _z(one.blend)}
        for name, order in orders.items():
            top = [one.ids[index] for index in np.argsort(-order, kind="stable")[:5]]
            columns[name].append(len(one.gold.intersection(top)) / len(one.gold))
        columns["shortlist"].append(len(one.gold.intersection(one.ids)) / len(one.gold))
    return {name: 100 * float(np.mean(values)) for name, values in columns.items()}


def _z(values: np.ndarray) -> np.ndarray:
    scaled: np.ndarray = (values - values.mean()) / max(float(values.std()), 1e-9)
    return scaled


def main() -> None:
    """Train a reranker on the shipped corpora and print what it adds to an encoder's blend on the development data."""
    parser = argparse.ArgumentParser(prog="python -m training.reranker", description=__doc__)
    parser.add_argument("--depth", type=int, default=6, help="layers of the base to keep")
    parser.add_argument("--adapter", type=Path, required=True, help="the encoder whose shortlists are reranked")
    for name in ("--base", "--tokenizer", "--corpora", "--data"):
        parser.add_argument(name, type=Path, required=True)
    options = parser.parse_args()
    recipe, base = Recipe(batch=32, steps=1000), Base(options.base, options.tokenizer)
    written = scenes.rows(recipe.seed)
    read = {name: split(read_rows(find(name, options.corpora)))[0] for name in recipe.mix() if name not in written}
    reranker = train(read | written, recipe, base, depth=options.depth, say=print)
    device = reranker.head.weight.device
    encoder = merge(Encoder(base.weights, rank=1).to(device), load(options.adapter))
    model = Model(encoder, Pieces(base.tokenizer, longest=LONGEST_TOKENS), device)
    for name, data in development(options.data).items():
        print(name, gains(reranker, Pieces(base.tokenizer, longest=LONGEST_PAIR), shortlists(model, data)))


if __name__ == "__main__":
    main()
