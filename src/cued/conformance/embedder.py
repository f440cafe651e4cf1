"""What every embedder promises, as tests."""

import numpy as np
import pytest

from cued.ports import Embedder, Role

TEXTS = ("the tea is in the garden", "Der Tee ist im Garten", "茶は庭にあります", "🫖", "", " \t\n", "a\x00b", "x" * 20_000, "</memories>")
ROLES: tuple[Role, ...] = ("query", "memory")


class EmbedderConformance:
    """Subclass it and give an `embedder` fixture."""

    @pytest.fixture
    def embedder(self) -> Embedder:
        """The embedder under test; every subclass overrides this."""
        raise NotImplementedError

    @pytest.mark.parametrize("role", ROLES)
    def test_every_text_gets_one_finite_unit_vector(self, embedder: Embedder, role: Role) -> None:
        """Any string at all is embedded: one float32 row each, of length 1."""
        vectors = embedder.embed(TEXTS, role=role)
        assert vectors.shape == (len(TEXTS), embedder.fingerprint.dimensions)
        assert vectors.dtype == np.float32
        assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)

    @pytest.mark.parametrize("role", ROLES)
    def test_a_text_has_the_same_vector_alone_and_in_company(self, embedder: Embedder, role: Role) -> None:
        """The bytes of a vector depend on its text only, not on the batch."""
        together = embedder.embed(TEXTS, role=role)
        for place, text in enumerate(TEXTS):
            assert embedder.embed([text], role=role)[0].tobytes() == together[place].tobytes()

    @pytest.mark.parametrize("role", ROLES)
    def test_no_texts_give_no_vectors(self, embedder: Embedder, role: Role) -> None:
        """An empty list comes back as an empty matrix of the right width."""
        assert embedder.embed([], role=role).shape == (0, embedder.fingerprint.dimensions)

    def test_different_texts_have_different_vectors(self, embedder: Embedder) -> None:
        """Two sentences without a common word do not fall together."""
        one, other = embedder.embed(["the tea is in the garden", "quarterly tax returns"], role="memory")
        assert one.tobytes() != other.tobytes()

    def test_the_fingerprint_does_not_change(self, embedder: Embedder) -> None:
        """Asked twice, before and after embedding, it is the same."""
        before = embedder.fingerprint
        embedder.embed(["tea"], role="memory")
        assert embedder.fingerprint == before
        assert before.dimensions > 0
