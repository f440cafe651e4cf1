"""The adapter to sentence-transformers, with a small model of the same shape in place of the library's."""

import importlib.util
import json

import numpy as np
import pytest

from cued.embed import load_embedder
from cued.embed.sentence_transformers import SentenceTransformers
from cued.errors import EmbedderError


class LetterConfiguration:
    """As much of a transformers configuration as the fingerprint reads."""

    _commit_hash = "abc123"

    def __init__(self, layers: int) -> None:
        self.layers = layers

    def to_dict(self) -> dict[str, int]:
        return {"layers": self.layers}


class LetterModel:
    """Counts letters; notes each prompt it is given."""

    def __init__(self, prompts: dict[str, str] | None = None, layers: int = 1) -> None:
        self.prompts = prompts or {}
        self.transformers_model = type("Transformer", (), {"config": LetterConfiguration(layers)})()
        self.seen: list[tuple[list[str], str]] = []
        self.broken = False

    def encode(self, sentences: list[str], *, prompt: str, normalize_embeddings: bool, show_progress_bar: bool) -> np.ndarray:
        assert normalize_embeddings
        assert not show_progress_bar
        self.seen.append((sentences, prompt))
        counts = np.array([[sentence.count(letter) + 0.5 for letter in "abcdef"] for sentence in sentences])
        return counts * np.nan if self.broken else counts


def test_texts_become_unit_rows_in_order():
    vectors = SentenceTransformers(LetterModel()).embed(["aaa", "b"], role="memory")
    assert vectors.dtype == np.float32
    assert vectors.argmax(axis=1).tolist() == [0, 1]
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_the_models_own_prompts_are_used_by_role():
    model = LetterModel({"query": "query: ", "document": "doc: "})
    embedder = SentenceTransformers(model, name="letters")
    embedder.embed(["a"], role="query")
    embedder.embed(["b"], role="memory")
    assert model.seen[1:] == [(["a"], "query: "), (["b"], "doc: ")]
    assert json.loads(embedder.fingerprint.prefix) == ["query: ", "doc: "]


@pytest.mark.requirement("X8")
def test_the_fingerprint_changes_with_the_configuration():
    one, same, other = (SentenceTransformers(LetterModel(layers=layers), name="letters").fingerprint for layers in (1, 1, 2))
    assert one == same
    assert one != other
    assert (one.provider, one.model, one.dimensions, one.prefix) == ("sentence-transformers", "letters", 6, "")


def test_an_unusable_answer_is_an_embedder_error():
    model = LetterModel()
    embedder = SentenceTransformers(model)
    embedder.embed(["a"], role="memory")
    model.broken = True
    with pytest.raises(EmbedderError, match="NaN"):
        embedder.embed(["b"], role="memory")


def test_no_texts_give_no_rows():
    assert SentenceTransformers(LetterModel()).embed([], role="memory").shape == (0, 6)


@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is not None, reason="sentence-transformers is installed here")
def test_a_missing_library_names_the_pip_command_and_only_when_needed():
    embedder = load_embedder("sentence-transformers:all-mpnet-base-v2")
    with pytest.raises(EmbedderError, match="pip install sentence-transformers"):
        embedder.embed(["a"], role="memory")
