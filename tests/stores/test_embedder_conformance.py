"""The embedder suite passes an embedder that keeps its promises, and fails one that does not."""

import numpy as np
import pytest

from cued.conformance import EmbedderConformance
from cued.model import Fingerprint


class LetterEmbedder:
    """Counts the letters of a text; `batch` adds the size of the batch, as a careless model would."""

    def __init__(self, *, batch=False):
        self._batch = batch
        self.fingerprint = Fingerprint(provider="test", model="letters", revision="1", dimensions=16)

    def embed(self, texts, *, role):
        assert role in {"query", "memory"}
        counts = np.ones((len(texts), 16), dtype=np.float32)
        for row, text in enumerate(texts):
            for letter in text:
                counts[row, ord(letter) % 16] += 1
        counts[:, 0] += len(texts) if self._batch else 0
        return counts / np.linalg.norm(counts, axis=1, keepdims=True)


class TestLetterEmbedder(EmbedderConformance):
    @pytest.fixture
    def embedder(self):
        return LetterEmbedder()


def test_an_embedder_that_looks_at_the_batch_is_caught():
    with pytest.raises(AssertionError):
        EmbedderConformance().test_a_text_has_the_same_vector_alone_and_in_company(LetterEmbedder(batch=True), "memory")
