"""Named fakes for the ports: a clock that stands still until it is moved, and embedders whose every vector is known."""

from datetime import timedelta

import numpy as np

from cued.embed import Hashing
from cued.errors import EmbedderError
from cued.model import Fingerprint
from tests.building import NOW


class FixedClock:
    """A clock that shows NOW until it is moved."""

    def __init__(self, now=NOW):
        self.now = now

    def __call__(self):
        return self.now

    def move(self, **span):
        """Move the clock on."""
        self.now += timedelta(**span)


class ListEmbedder:
    """An embedder that knows the vectors of a few texts, and gives any other text a direction of its own."""

    def __init__(self, known=(), dimensions=16, name="list"):
        self.known, self.dimensions, self.name = dict(known), dimensions, name
        self.asked = []

    @property
    def fingerprint(self):
        return Fingerprint(provider="fake", model=self.name, revision="1", dimensions=self.dimensions)

    def embed(self, texts, *, role):
        self.asked += texts
        strangers = Hashing(dimensions=self.dimensions)
        rows = [self.known.get(text) if text in self.known else strangers.embed([text], role=role)[0] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)


class FailingEmbedder(ListEmbedder):
    """An embedder that can be taken down and brought back."""

    def __init__(self):
        super().__init__()
        self.down = False

    def embed(self, texts, *, role):
        if self.down:
            raise EmbedderError("the embedder is down")
        return super().embed(texts, role=role)
