"""The batches of a run: each of one corpus, each a function of seed and step alone, so that any worker can make it."""

from dataclasses import dataclass
from random import Random

import torch
from torch import Tensor
from torch.utils.data import Dataset

from training.augment import Example, Passage, example, style
from training.corpora import Row
from training.encoder import padded
from training.pieces import Pieces
from training.recipe import STAGE_TWO, Recipe

CPU = torch.device("cpu")


@dataclass(frozen=True)
class Batch:
    """Token ids and masks of cues and passages; the first passages are the cues' own."""

    corpus: str
    cues: tuple[Tensor, Tensor]
    passages: tuple[Tensor, Tensor]
    forbidden: Tensor


class Batches(Dataset[Batch]):
    """The run's batches, by step."""

    def __init__(self, rows: dict[str, tuple[Row, ...]], recipe: Recipe, pieces: Pieces) -> None:
        """Lay out which corpus each step draws from and in which order its rows come."""
        self._rows = rows
        self._recipe = recipe
        self._pieces = pieces
        rng = Random(recipe.seed)
        late = {name: share for name, share in STAGE_TWO.items() if name in rows}
        early = {name: share for name, share in recipe.mix().items() if name in rows}
        self._steps = schedule(early, recipe.steps, rng) + schedule(late, recipe.late_steps, rng)
        self._orders = {name: rng.sample(range(len(found)), len(found)) for name, found in sorted(rows.items())}
        self._turns = [self._steps[:step].count(name) for step, name in enumerate(self._steps)]

    def __len__(self) -> int:
        """The number of steps."""
        return len(self._steps)

    def __getitem__(self, step: int) -> Batch:
        """The batch of a step."""
        if step >= len(self):
            raise IndexError(step)
        return self._assembled(*self.examples(step))

    def examples(self, step: int) -> tuple[str, list[Example]]:
        """The corpus and the examples of a step."""
        name = self._steps[step]
        rng = Random(self._recipe.seed * 1_000_003 + step)
        form = style(self._recipe.chances, rng)
        rows = [self._rows[name][index] for index in self._indexes(name, self._turns[step])]
        return name, [example(row, form, self._recipe.chances, rng, negatives=self._recipe.negatives) for row in rows]

    def _indexes(self, name: str, turn: int) -> list[int]:
        order, size = self._orders[name], min(self._recipe.batch, len(self._orders[name]))
        return [order[(turn * size + offset) % len(order)] for offset in range(size)]

    def _assembled(self, name: str, examples: list[Example]) -> Batch:
        texts, examples = _fitting(examples, self._pieces, self._recipe.budget_tokens)
        passages = [passage for passage, _ in texts]
        cues = self._pieces([self._recipe.prefix + one.cue for one in examples])
        return Batch(name, padded(cues, CPU), padded([ids for _, ids in texts], CPU), _forbidden(examples, passages))


def schedule(shares: dict[str, float], steps: int, rng: Random) -> list[str]:
    """The corpus of each step, in a random order, each corpus at least once and by its share."""
    total = sum(shares.values())
    counts = {name: max(1, round(steps * share / total)) for name, share in shares.items()} if steps else {}
    names = [name for name, count in sorted(counts.items()) for _ in range(count)]
    rng.shuffle(names)
    return names


def _fitting(examples: list[Example], pieces: Pieces, budget_tokens: int) -> tuple[list[tuple[Passage, list[int]]], list[Example]]:
    # Positives first; then negatives, one a cue in turn, so that a short budget costs every cue the same.
    rounds = [[one.positive for one in examples]]
    deepest = max(len(one.negatives) for one in examples)
    rounds += [[one.negatives[depth] for one in examples if depth < len(one.negatives)] for depth in range(deepest)]
    kept: list[tuple[Passage, list[int]]] = []
    for depth, passages in enumerate(rounds):
        ids = pieces([passage.text for passage in passages])
        longest = max(len(piece) for piece in (*ids, *(piece for _, piece in kept)))
        if depth and longest * (len(kept) + len(passages)) > budget_tokens:
            break
        kept += zip(passages, ids, strict=True)
    room = max(16, budget_tokens // max(len(ids) for _, ids in kept))
    if len(examples) > room:
        return kept[:room], examples[:room]
    return kept, examples


def _forbidden(examples: list[Example], passages: list[Passage]) -> Tensor:
    own = [(row, column) for row, one in enumerate(examples) for column, passage in enumerate(passages) if one.answers & passage.keys]
    marks = torch.zeros(len(examples), len(passages), dtype=torch.bool)
    for row, column in own:
        marks[row, column] = row != column
    return marks
