"""MiniLM in plain PyTorch, read from its safetensors file, with a low-rank adapter on every matrix of its layers."""

import math
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional

LAYERS = 6
HEADS = 12
WIDTH = 384
LONGEST_TOKENS = 256
MATRICES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


class Adapted(nn.Module):
    """A frozen linear map W with an adapter: x ↦ x (W + scale · B A)ᵀ + b, after Hu et al. 2021 (LoRA)."""

    weight: Tensor
    bias: Tensor

    def __init__(self, weight: Tensor, bias: Tensor, *, rank: int, scale: float) -> None:
        """Start as the frozen map itself: B is zero."""
        super().__init__()
        self.scale = scale
        self.register_buffer("weight", weight)
        self.register_buffer("bias", bias)
        self.a = nn.Parameter(torch.randn(rank, weight.shape[1]) / math.sqrt(weight.shape[1]))
        self.b = nn.Parameter(torch.zeros(weight.shape[0], rank))

    def merged(self) -> Tensor:
        """W + scale · B A."""
        return torch.addmm(self.weight, self.b, self.a, alpha=self.scale)

    def forward(self, inputs: Tensor, *, plain: bool = False) -> Tensor:
        """The mapped inputs, through the base weights alone when `plain`."""
        return functional.linear(inputs, self.weight if plain else self.merged(), self.bias)


class Layer(nn.Module):
    """One transformer layer of BERT: self-attention and feed-forward, each with a residual and a layer norm."""

    attention_output_gain: Tensor
    attention_output_shift: Tensor
    output_gain: Tensor
    output_shift: Tensor

    def __init__(self, weights: dict[str, Tensor], *, rank: int, scale: float) -> None:
        """Take the layer's tensors, named as in the checkpoint without the layer's prefix."""
        super().__init__()
        self.maps = nn.ModuleDict(
            {
                name.replace(".", "_"): Adapted(weights[f"{name}.weight"], weights[f"{name}.bias"], rank=rank, scale=scale)
                for name in MATRICES
            }
        )
        for norm in ("attention.output", "output"):
            self.register_buffer(f"{norm.replace('.', '_')}_gain", weights[f"{norm}.LayerNorm.weight"])
            self.register_buffer(f"{norm.replace('.', '_')}_shift", weights[f"{norm}.LayerNorm.bias"])

    def forward(self, states: Tensor, mask: Tensor, *, plain: bool) -> Tensor:
        """The next states of a batch (texts, tokens, width)."""
        texts, tokens, width = states.shape
        query, key, value = (
            self.maps[f"attention_self_{part}"](states, plain=plain).view(texts, tokens, HEADS, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        seen = self.maps["attention_output_dense"](seen.transpose(1, 2).reshape(texts, tokens, width), plain=plain)
        states = functional.layer_norm(states + seen, (width,), self.attention_output_gain, self.attention_output_shift, 1e-12)
        inner = functional.gelu(self.maps["intermediate_dense"](states, plain=plain))
        return functional.layer_norm(
            states + self.maps["output_dense"](inner, plain=plain), (width,), self.output_gain, self.output_shift, 1e-12
        )


class Encoder(nn.Module):
    """Texts' token ids to their states and to their mean-pooled vectors."""

    word_embeddings: Tensor
    position_embeddings: Tensor
    token_type_embeddings: Tensor
    gain: Tensor
    shift: Tensor

    def __init__(self, base: Path, *, rank: int = 16, scale: float = 2.0) -> None:
        """Read the base weights, in whatever float width they are stored, as float32."""
        super().__init__()
        weights = {name: tensor.float() for name, tensor in load_file(base).items() if tensor.is_floating_point()}
        for name in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
            self.register_buffer(name, weights[f"embeddings.{name}.weight"])
        self.register_buffer("gain", weights["embeddings.LayerNorm.weight"])
        self.register_buffer("shift", weights["embeddings.LayerNorm.bias"])
        self.layers = nn.ModuleList(Layer(_below(weights, f"encoder.layer.{index}."), rank=rank, scale=scale) for index in range(LAYERS))

    def states(self, ids: Tensor, mask: Tensor, kinds: Tensor | None = None, *, plain: bool = False) -> Tensor:
        """The last layer's states; `kinds` marks a second segment, `plain` leaves the adapter out."""
        types = self.token_type_embeddings[0] if kinds is None else functional.embedding(kinds, self.token_type_embeddings)
        states = functional.embedding(ids, self.word_embeddings) + self.position_embeddings[: ids.shape[1]] + types
        states = functional.layer_norm(states, (WIDTH,), self.gain, self.shift, 1e-12)
        open_to = mask[:, None, None, :]
        for layer in self.layers:
            states = layer(states, open_to, plain=plain)
        return states

    def forward(self, ids: Tensor, mask: Tensor, *, plain: bool = False) -> Tensor:
        """One mean-pooled vector a text, not yet of unit length."""
        weights = mask.unsqueeze(2).float()
        return (self.states(ids, mask, plain=plain) * weights).sum(1) / weights.sum(1)


def _below(weights: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in weights.items() if name.startswith(prefix)}


def padded(pieces: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor]:
    """Ids and mask of several texts, padded to the longest, rounded up to a multiple of 8, which the attention kernels want."""
    longest = -(-max(map(len, pieces)) // 8) * 8
    ids = torch.tensor([[*piece, *[0] * (longest - len(piece))] for piece in pieces])
    lengths = torch.tensor([len(piece) for piece in pieces])
    mask = torch.arange(longest)[None, :] < lengths[:, None]
    return ids.to(device, non_blocking=True), mask.to(device, non_blocking=True)
