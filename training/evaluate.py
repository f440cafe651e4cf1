"""Dense recall alone: development conversations, held-out training rows and our own probes, each figure per cue for intervals."""

import csv
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from training.corpora import Row, find, read_lines
from training.encoder import Encoder, padded
from training.pieces import Pieces

Matrix = np.ndarray[tuple[int, int], np.dtype[np.float32]]
PROBES = Path(__file__).parent / "probes"
PROBE_SETS = ("preferences", "errors", "identifiers", "instructions", "numbers_dates")
GRADED = "paraphrase_graded"
OTHERS_AT_MOST = 5
UNANSWERABLE = frozenset({"adversarial", "abstention"})


@dataclass(frozen=True)
class Model:
    """An encoder ready to be measured: what it puts before a cue, and the rotation after which its vectors may be cut."""

    encoder: Encoder
    pieces: Pieces
    device: torch.device
    prefix: str = ""
    turn: torch.Tensor | None = None

    def embed(self, texts: Sequence[str], *, batch_tokens: int = 65_536) -> Matrix:
        """One vector a text, not normalised, so that any leading width can be cut from it."""
        once = list(dict.fromkeys(texts))
        place = {text: index for index, text in enumerate(once)}
        ids = self.pieces(once)
        order = sorted(range(len(ids)), key=lambda index: len(ids[index]))
        vectors = np.zeros((len(ids), 384), np.float32)
        with torch.inference_mode():
            for chunk in _chunks(order, ids, batch_tokens):
                tokens, mask = padded([ids[index] for index in chunk], self.device)
                found = self.encoder(tokens, mask)
                vectors[chunk] = (found if self.turn is None else found @ self.turn).float().cpu().numpy()
        return vectors[[place[text] for text in texts]]

    def cues(self, texts: Sequence[str]) -> Matrix:
        """The vectors of cues."""
        return self.embed([self.prefix + text for text in texts])


def _chunks(order: list[int], ids: list[list[int]], batch_tokens: int) -> list[list[int]]:
    chunks: list[list[int]] = [[]]
    for index in order:
        if len(ids[index]) * (len(chunks[-1]) + 1) > batch_tokens:
            chunks.append([])
        chunks[-1].append(index)
    return chunks


def unit(vectors: Matrix, width: int) -> Matrix:
    """The leading `width` dimensions, at unit length."""
    cut = vectors[:, :width]
    scaled: Matrix = cut / np.maximum(np.linalg.norm(cut, axis=1, keepdims=True), 1e-9)
    return scaled


@dataclass(frozen=True)
class Conversations:
    """Memories and questions of one development set, tenant by tenant."""

    memories: tuple[dict[str, str], ...]
    queries: tuple[dict[str, Any], ...]
    named: bool

    def text(self, memory: dict[str, str]) -> str:
        """The text as it is embedded: `speaker: text`, or the text alone."""
        return f"{memory['speaker']}: {memory['text']}" if self.named else memory["text"]


def conversations(where: Path, *, named: bool, speakers: frozenset[str] = frozenset(), tenants: int = 10**6) -> Conversations:
    """A development set; with `speakers`, their turns and the questions that these answer alone."""
    memories = [row for row in read_lines(find("memories", where)) if not speakers or row["speaker"] in speakers]
    known = {row["id"] for row in memories}
    first = set(list(dict.fromkeys(row["tenant"] for row in memories))[:tenants])
    queries = [row for row in read_lines(find("queries", where)) if row["category"] not in UNANSWERABLE and row["gold_ids"]]
    queries = [row for row in queries if row["tenant"] in first and any(gold in known for gold in row["gold_ids"])]
    return Conversations(tuple(row for row in memories if row["tenant"] in first), tuple(queries), named)


def turns_and_sessions(model: Model, data: Conversations, widths: Sequence[int]) -> dict[str, list[float]]:
    """Per question, for each width: the share of gold turns in the first 10, and whether all gold sessions are in the first 5."""
    by_tenant = defaultdict(list)
    for position, memory in enumerate(data.memories):
        by_tenant[memory["tenant"]].append(position)
    texts = model.embed([data.text(memory) for memory in data.memories])
    cues = model.cues([str(query["query"]) for query in data.queries])
    figures: dict[str, list[float]] = defaultdict(list)
    for width in widths:
        wide, short = unit(texts, width), unit(cues, width)
        for query, vector in zip(data.queries, short, strict=True):
            rows = by_tenant[query["tenant"]]
            ranked = [data.memories[rows[index]] for index in np.argsort(-(wide[rows] @ vector), kind="stable")]
            figures[f"turns@10/{width}"].append(_share(query["gold_ids"], [memory["id"] for memory in ranked[:10]]))
            figures[f"turns@5/{width}"].append(_share(query["gold_ids"], [memory["id"] for memory in ranked[:5]]))
            sessions = list(dict.fromkeys(memory["session"] for memory in ranked))[:5]
            figures[f"sessions_all@5/{width}"].append(float(set(query["gold_sessions"]) <= set(sessions)))
    return figures


def held_out(model: Model, rows: Sequence[Row], *, width: int = 384) -> list[float]:
    """The share of each row's answers in the first 10 of all texts that the held-out rows hold."""
    pool = list(dict.fromkeys(text for row in rows for text in (*row.answers, *row.others[:OTHERS_AT_MOST])))
    texts, cues = unit(model.embed(pool), width), unit(model.cues([row.cue for row in rows]), width)
    nearest = np.argsort(-(cues @ texts.T), axis=1)[:, :10]
    return [_share(row.answers, [pool[index] for index in found]) for row, found in zip(rows, nearest, strict=True)]


def probe_pairs(name: str) -> list[tuple[str, ...]]:
    """The lines of one probe set, without its heading."""
    with (PROBES / f"{name}.tsv").open(encoding="utf-8", newline="") as lines:
        return [tuple(row) for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]


def probes(model: Model, *, width: int = 384) -> dict[str, list[float]]:
    """The reciprocal rank of each cue's memory among the memories of all sets, by probe set."""
    sets = {name: probe_pairs(name) for name in PROBE_SETS}
    pool = [memory for pairs in sets.values() for _, memory in pairs]
    texts = unit(model.embed(pool), width)
    place = {memory: index for index, memory in enumerate(pool)}
    figures = {}
    for name, pairs in sets.items():
        scores = unit(model.cues([cue for cue, _ in pairs]), width) @ texts.T
        own = np.array([place[memory] for _, memory in pairs])
        ranks = 1 + (scores > scores[np.arange(len(own)), own][:, None]).sum(axis=1)
        figures[name] = list((1.0 / ranks).astype(float))
    return figures


def paraphrase(model: Model, *, width: int = 384) -> float:
    """Spearman's rank correlation of cosine and grade over the graded pairs, −1 to 1."""
    pairs = probe_pairs(GRADED)
    first, second = (unit(model.embed([pair[side] for pair in pairs]), width) for side in (1, 2))
    return spearman((first * second).sum(axis=1), np.array([float(pair[0]) for pair in pairs]))


def spearman(left: np.ndarray, right: np.ndarray) -> float:
    """The Pearson correlation of average ranks, −1 to 1."""
    return float(np.corrcoef(_average_ranks(left), _average_ranks(right))[0, 1])


def _average_ranks(values: np.ndarray) -> np.ndarray:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[inverse]


def interval(values: Sequence[float], *, draws: int = 2000, seed: int = 7) -> tuple[float, float, float]:
    """The mean, and the 95 % bootstrap interval of its resampled means."""
    found = np.asarray(values)
    means = np.random.default_rng(seed).choice(found, (draws, len(found))).mean(axis=1)
    return float(found.mean()), float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def _share(gold: Sequence[str], found: Sequence[str]) -> float:
    wanted = set(gold)
    return len(wanted.intersection(found)) / len(wanted)
