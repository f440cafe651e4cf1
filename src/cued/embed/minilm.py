"""The encoders of the `cued-minilm` wheel in int8: `cued`, made for recall, and plain `minilm`. No torch, nothing fetched."""

import logging
import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Literal

from cued.embed.unit_vectors import unit
from cued.errors import EmbedderError
from cued.forking import across_forks
from cued.model import Fingerprint, Matrix
from cued.ports import Role

if TYPE_CHECKING:
    from cued_minilm.model import Model

log = logging.getLogger("cued")

INSTALL = "pip install cued-minilm"
ENCODERS = {"cued": "recall", "minilm": "plain"}
"""The wheel's encoder behind each provider's name."""


class _Loading:
    """An encoder that is being loaded; None where that failed."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.model: Model | None = None


_AHEAD: dict[str, _Loading] = {}


def load_ahead(provider: str) -> None:
    """Begin to load an encoder: the first call that embeds waits for it, and tries again what failed, and says so.

    Only the model's file is read in a thread of its own: what runs it is imported here, for two threads that import hold each other up.
    """
    encoder, loading = ENCODERS[provider], _Loading()
    with suppress(EmbedderError, RuntimeError):  # not to be imported, or no thread to be had
        kind = _model()
        # No daemon: what is in the middle of loading when the process ends would take it down with it.
        threading.Thread(target=_load, args=(kind, encoder, loading), name="cued-model").start()
        _AHEAD[encoder] = loading


def _load(kind: "type[Model]", encoder: str, loading: _Loading) -> None:
    try:
        loading.model = kind(encoder)
    except Exception as error:  # noqa: BLE001 - whatever it is, whoever embeds meets it too
        log.debug("no model was loaded ahead: %s", error)
    finally:
        loading.done.set()


class MiniLM:
    """Embeds with the model wheel; the model is loaded at the first text, and each text runs alone."""

    def __init__(self, provider: Literal["cued", "minilm"] = "cued", *, threads: int | None = None) -> None:
        """Look for the wheel, and only that; `threads` texts of one call run at once (all cores up to 4)."""
        try:
            import cued_minilm  # noqa: PLC0415 (an optional wheel)
        except ImportError as error:
            raise EmbedderError(f"the model wheel cued-minilm is not installed: {INSTALL}") from error
        self._encoder = ENCODERS[provider]
        encoder = getattr(cued_minilm, "ENCODERS", {}).get(self._encoder)  # an older wheel has none
        if encoder is None or not encoder.revision:
            raise EmbedderError(f"cued_minilm is a source tree without its model: {INSTALL}")
        self._threads = threads
        self.after_fork()
        across_forks(self)
        self._fingerprint = Fingerprint(
            provider=provider,
            model=encoder.name,
            revision=encoder.revision,
            dimensions=cued_minilm.DIMENSIONS,
        )

    def after_fork(self) -> None:
        """Let no thread of the parent hold this up; the model's threads are the parent's too, so it is loaded again."""
        self._model: Model | None = None
        self._loading = threading.Lock()

    @property
    def fingerprint(self) -> Fingerprint:
        """The model file that makes these vectors; it is not loaded for that."""
        return self._fingerprint

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:  # noqa: ARG002 (the model has no prefixes)
        """One unit vector a text, the same bytes alone and in company."""
        vectors = self._loaded().embed_many(texts, self._threads)
        return unit(vectors, count=len(texts), dimensions=self._fingerprint.dimensions, source="cued-minilm")

    def _loaded(self) -> "Model":
        with self._loading:
            if self._model is None and (ahead := _AHEAD.pop(self._encoder, None)) is not None:
                ahead.done.wait()
                self._model = ahead.model
            if self._model is None:
                self._model = _model()(self._encoder)
            return self._model


def _model() -> "type[Model]":
    """What runs an encoder; an EmbedderError where it cannot be imported."""
    # Read once, when onnxruntime is loaded: its reports would leave the machine, and a process forked beside their thread hangs as it ends.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        from cued_minilm.model import Model  # noqa: PLC0415 (onnxruntime takes its time)
    except ImportError as error:
        raise EmbedderError(f"cued-minilm cannot load onnxruntime ({error}): pip install onnxruntime") from error
    return Model
