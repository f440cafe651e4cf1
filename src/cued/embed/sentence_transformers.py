"""Any model of the sentence-transformers library that the user has installed."""

import hashlib
import importlib
import json
from collections.abc import Mapping, Sequence
from typing import Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from cued.embed.unit_vectors import unit
from cued.errors import EmbedderError
from cued.model import Fingerprint, Matrix
from cued.ports import Role

INSTALL = "pip install sentence-transformers"
_PROBE = "probe"
_REVISION_CHARACTERS = 12


class LoadedModel(Protocol):
    """What is used of a loaded SentenceTransformer."""

    def encode(self, sentences: list[str], *, prompt: str, normalize_embeddings: bool, show_progress_bar: bool) -> ArrayLike:
        """One row a sentence, the prompt put before each."""


class SentenceTransformers:
    """Embeds with a SentenceTransformer, by name (loaded at the first text) or already loaded."""

    def __init__(self, model: str | LoadedModel, *, name: str | None = None) -> None:
        """Take a model or its name; a loaded model is called `name` in the fingerprint."""
        self._loaded = None if isinstance(model, str) else model
        self._name = name or (model if isinstance(model, str) else type(model).__name__)
        self._fingerprint: Fingerprint | None = None

    @property
    def fingerprint(self) -> Fingerprint:
        """The model that makes these vectors; the first call embeds one word to see how long they are."""
        if self._fingerprint is None:
            model = self._model()
            probe = unit(self._encode([_PROBE], ""), count=1, dimensions=None, source=self._source)
            self._fingerprint = Fingerprint(
                provider="sentence-transformers",
                model=self._name,
                revision=_revision(model),
                dimensions=probe.shape[1],
                prefix=json.dumps(_prompts(model), ensure_ascii=False) if any(_prompts(model)) else "",
            )
        return self._fingerprint

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """One unit vector a text, with the model's own prompt for queries or for documents where it has one."""
        dimensions = self.fingerprint.dimensions
        if not texts:
            return np.empty((0, dimensions), dtype=np.float32)
        query, memory = _prompts(self._model())
        vectors = self._encode(list(texts), query if role == "query" else memory)
        return unit(vectors, count=len(texts), dimensions=dimensions, source=self._source)

    @property
    def _source(self) -> str:
        return f"sentence-transformers {self._name}"

    def _encode(self, texts: list[str], prompt: str) -> ArrayLike:
        return self._model().encode(texts, prompt=prompt, normalize_embeddings=True, show_progress_bar=False)

    def _model(self) -> LoadedModel:
        if self._loaded is None:
            try:
                library = importlib.import_module("sentence_transformers")  # optional, and seconds to import
            except ImportError as error:
                raise EmbedderError(f"the sentence-transformers library is not installed: {INSTALL}") from error
            try:
                self._loaded = cast("LoadedModel", library.SentenceTransformer(self._name))
            except (OSError, ValueError) as error:
                raise EmbedderError(f"sentence-transformers cannot load {self._name!r}: {error}") from error
        return self._loaded


def _prompts(model: LoadedModel) -> tuple[str, str]:
    """The prompts that the model puts before a query and before a document; "" where it has none."""
    prompts: Mapping[str, str] = getattr(model, "prompts", None) or {}
    return prompts.get("query") or "", prompts.get("document") or prompts.get("passage") or ""


def _revision(model: LoadedModel) -> str:
    """A short hash of the transformer's configuration, or "" for a model that shows none."""
    configuration = getattr(getattr(model, "transformers_model", None), "config", None)
    if configuration is None:
        return ""
    shown = json.dumps(configuration.to_dict(), sort_keys=True, default=str)
    commit = getattr(configuration, "_commit_hash", None) or ""
    return hashlib.sha256(f"{commit}{shown}".encode()).hexdigest()[:_REVISION_CHARACTERS]
