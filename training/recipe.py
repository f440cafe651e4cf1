"""Every number of a training run, in one place, and how a trial changes some of them."""

from dataclasses import dataclass, field, fields, replace
from typing import Any

from training.augment import Chances
from training.corpora import CORPORA, SHIPPED

OWN_PAIRS = "own_pairs"
OTHER_WORDS = "other_words"
STAGE_TWO = {"friendsqa": 3.0, "molweni_mrc": 1.0, "qmsum_query_turn": 1.0}


@dataclass(frozen=True)
class Recipe:
    """One run: the mix, the batches, the adapter and the optimiser."""

    seed: int = 7
    steps: int = 750
    late_steps: int = 150
    batch: int = 48
    negatives: int = 8
    budget_tokens: int = 24_000
    rank: int = 16
    scale: float = 2.0
    learning_rate: float = 1e-3
    temperature: float = 0.03
    anchor: float = 0.3
    widths: tuple[int, ...] = (384, 256, 256, 128)
    longest: int = 160
    prefix: str = ""
    mined: int = 16
    mined_for: str = "know_how,other_words"
    corpora: str = "shipped"
    shares: dict[str, float] = field(default_factory=dict)
    chances: Chances = field(default_factory=Chances)

    def mix(self) -> dict[str, float]:
        """The share of each corpus in the batches, above zero."""
        own = {corpus.name: corpus.share for corpus in CORPORA}
        chosen = {"shipped": SHIPPED, "all": CORPORA}.get(self.corpora)
        shares = {corpus.name: corpus.share for corpus in chosen} if chosen else {name: own[name] for name in self.corpora.split(",")}
        return {name: share for name, share in (shares | self.shares).items() if share > 0}


def changed(recipe: Recipe, changes: dict[str, Any]) -> Recipe:
    """The recipe with some numbers replaced, chances among them; an unknown name is an error that lists the known ones."""
    own = {entry.name for entry in fields(Recipe)}
    chances = {entry.name for entry in fields(Chances)}
    if unknown := set(changes) - own - chances:
        raise ValueError(f"unknown numbers {sorted(unknown)}; known are {sorted(own | chances)}")
    varied = replace(recipe.chances, **{name: value for name, value in changes.items() if name in chances})
    return replace(recipe, chances=varied, **{name: value for name, value in changes.items() if name in own})
