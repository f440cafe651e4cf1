"""What the encoder is pulled towards: the right passage first, at every width, and near the base model on plain texts."""

from collections.abc import Sequence

import torch
from torch import Tensor
from torch.nn import functional


def info_nce(cues: Tensor, passages: Tensor, *, forbidden: Tensor, temperature: float) -> Tensor:
    """The mean of −ln softmax(cos(cueᵢ, passageⱼ) / temperature) at j = i (van den Oord et al. 2018); ≥ 0.

    The first n passages are the n cues' own, the rest are negatives of everybody; `forbidden` marks pairs that are no negatives.
    """
    logits = functional.normalize(cues, dim=1) @ functional.normalize(passages, dim=1).T / temperature
    return functional.cross_entropy(logits.masked_fill(forbidden, -torch.inf), torch.arange(len(cues), device=cues.device))


def matryoshka(cues: Tensor, passages: Tensor, *, forbidden: Tensor, temperature: float, widths: Sequence[int]) -> Tensor:
    """The mean of `info_nce` over the leading dimensions of each width (Kusupati et al. 2022); ≥ 0."""
    losses = [info_nce(cues[:, :width], passages[:, :width], forbidden=forbidden, temperature=temperature) for width in widths]
    return torch.stack(losses).mean()


def anchor(vectors: Tensor, base: Tensor, *, temperature: float = 0.05) -> Tensor:
    """KL(base ‖ model) between the two models' softmaxed similarities among one batch of texts; ≥ 0, 0 when nothing was lost."""
    own = torch.eye(len(vectors), dtype=torch.bool, device=vectors.device)
    return distil(_similarities(vectors).masked_fill(own, -1.0) / temperature, _similarities(base).masked_fill(own, -1.0) / temperature)


def distil(logits: Tensor, teacher: Tensor) -> Tensor:
    """The mean KL(softmax(teacher) ‖ softmax(logits)) over the rows; ≥ 0."""
    return functional.kl_div(functional.log_softmax(logits, 1), functional.log_softmax(teacher, 1), reduction="batchmean", log_target=True)


def _similarities(vectors: Tensor) -> Tensor:
    unit = functional.normalize(vectors, dim=1)
    return unit @ unit.T
