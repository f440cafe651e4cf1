"""Any endpoint that speaks OpenAI's embeddings protocol: OpenAI, Ollama, vLLM, LM Studio and many more.

They differ in what they ignore, refuse and reorder, so nothing in a reply is taken on trust.
"""

import base64
import binascii
import json
import re
from collections.abc import Sequence
from typing import cast

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike

from cued.embed.endpoint import Endpoint, excerpt
from cued.embed.exchange import Reply
from cued.embed.unit_vectors import unit
from cued.errors import EmbedderError
from cued.model import Fingerprint, Matrix
from cued.ports import Role

BATCH = 64
QUERY_DEADLINE_S = 5.0
"""How long a recall waits for its cue's vector, at most the patience that there is; then it goes on with words alone."""
_PROBE = "probe"
_OK = 200
_REFUSED_KEY = frozenset({401, 403})
_TOO_LARGE = 413
_CLIENT_ERRORS = range(400, 500)
_TOO_MANY = re.compile(r"too many|batch.{0,3}size|too long|too large|per request|at most \d+|maximum (number|batch|of \d+)", re.IGNORECASE)


class _Item(Struct):
    index: int
    embedding: list[float] | str


class _Embeddings(Struct):
    """What is read of a reply, whatever else is in it."""

    data: list[_Item]
    model: object = None


_REPLY = msgspec.json.Decoder(_Embeddings)


class OpenAICompatible:
    """Embeds through POST {base}/embeddings; how long the vectors are is seen in the first reply, never guessed."""

    def __init__(
        self,
        model: str,
        endpoint: Endpoint | None = None,
        *,
        dimensions: int | None = None,
        query_prefix: str = "",
        memory_prefix: str = "",
    ) -> None:
        """Name the model and where it is (by default as the environment says); prefixes are put before the texts of their role."""
        self._model = model
        self._endpoint = endpoint or Endpoint.from_environment()
        self._asked = dimensions
        self._prefixes: dict[Role, str] = {"query": query_prefix, "memory": memory_prefix}
        self._batch = BATCH
        self._ask_float = True
        self._served = ""
        self._fingerprint: Fingerprint | None = None

    def __repr__(self) -> str:
        """The model and the place, without the key."""
        return f"OpenAICompatible({self._model!r}, {self._endpoint!r})"

    @property
    def fingerprint(self) -> Fingerprint:
        """The model that makes these vectors; before the first reply, one word is embedded to see how long they are."""
        if self._fingerprint is None:
            self._checked(self._request([_PROBE]))
        return cast("Fingerprint", self._fingerprint)

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """One unit vector a text, in order, whatever order and form the endpoint answered in."""
        if not texts:
            return np.empty((0, self.fingerprint.dimensions), dtype=np.float32)
        rows: list[Matrix] = []
        start = 0
        while start < len(texts):
            batch = [self._prefixes[role] + text for text in texts[start : start + self._batch]]
            rows.append(self._checked(self._request_or_halve(batch, QUERY_DEADLINE_S if role == "query" else None)))
            start += len(rows[-1])
        return np.concatenate(rows)

    @property
    def _source(self) -> str:
        return f"{self._model} at {self._endpoint.base_url}"

    def _checked(self, vectors: list[ArrayLike]) -> Matrix:
        """The vectors at unit length; those of the first reply settle how long all must be."""
        known = self._fingerprint.dimensions if self._fingerprint else None
        matrix = unit(vectors, count=len(vectors), dimensions=known, source=self._source)
        if self._fingerprint is None:
            self._fingerprint = Fingerprint(
                provider="openai",
                model=self._model,
                revision=self._served if self._served != self._model else "",
                dimensions=matrix.shape[1],
                prefix=json.dumps(list(self._prefixes.values()), ensure_ascii=False) if any(self._prefixes.values()) else "",
            )
        return matrix

    def _request_or_halve(self, batch: list[str], deadline_s: float | None) -> list[ArrayLike]:
        """The vectors of the batch, or of its start when the endpoint takes fewer texts at once; that is remembered."""
        while True:
            try:
                return self._request(batch, deadline_s)
            except _TooManyError:
                batch = batch[: len(batch) // 2]
                self._batch = len(batch)

    def _request(self, batch: list[str], deadline_s: float | None = None) -> list[ArrayLike]:
        """The vectors of one request in the order of its texts."""
        reply = self._endpoint.post("embeddings", self._payload(batch), deadline_s=deadline_s)
        if self._ask_float and reply.status in _CLIENT_ERRORS and "encoding_format" in reply.text():
            self._ask_float = False
            reply = self._endpoint.post("embeddings", self._payload(batch), deadline_s=deadline_s)
        if reply.status != _OK:
            self._refuse(reply, len(batch))
        vectors = [_vector(embedding, self._source) for embedding in self._ordered(reply, len(batch))]
        given = {np.size(vector) for vector in vectors}
        if self._asked is not None and given != {self._asked}:
            sizes = " and ".join(map(str, sorted(given)))
            raise EmbedderError(f"{self._source} was asked for {self._asked} dimensions and gave {sizes}; it ignores `dimensions`")
        return vectors

    def _payload(self, batch: list[str]) -> dict[str, object]:
        # Asked for in words: some clients' silent default, base64, breaks on servers that only know numbers.
        form = {"encoding_format": "float"} if self._ask_float else {}
        size = {"dimensions": self._asked} if self._asked is not None else {}
        return {"model": self._model, "input": batch, **form, **size}

    def _refuse(self, reply: Reply, count: int) -> None:
        """Raise what a reply other than 200 means."""
        if reply.status in _REFUSED_KEY:
            # The body is left out: servers like to quote the key, whole or in part.
            raise EmbedderError(f"{self._source} refused the API key (HTTP {reply.status}); it is read from OPENAI_API_KEY")
        message = f"{self._source} answered HTTP {reply.status}: {self._endpoint.redact(excerpt(reply))}"
        many = reply.status == _TOO_LARGE or (reply.status in _CLIENT_ERRORS and _TOO_MANY.search(reply.text()))
        if many and count > 1:
            raise _TooManyError(message)
        raise EmbedderError(message)

    def _ordered(self, reply: Reply, count: int) -> list[list[float] | str]:
        """The reply's embeddings by their `index`, after checking that each text has exactly one."""
        try:
            content = _REPLY.decode(reply.body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            kind = reply.headers.get("content-type", "no content type")
            raise EmbedderError(
                f"{self._source} gave no list of embeddings ({kind}); is the base URL right? {self._endpoint.redact(excerpt(reply))}"
            ) from error
        if sorted(item.index for item in content.data) != list(range(count)):
            raise EmbedderError(f"{self._source} gave {len(content.data)} embedding(s) for {count} text(s), or not each `index` once")
        self._served = content.model if isinstance(content.model, str) else ""
        embeddings = {item.index: item.embedding for item in content.data}
        return [embeddings[index] for index in range(count)]


class _TooManyError(EmbedderError):
    """The endpoint takes fewer texts in one request."""


def _vector(embedding: list[float] | str, source: str) -> ArrayLike:
    """One vector from a list of numbers or from base64 of little-endian float32."""
    if not isinstance(embedding, str):
        return embedding
    try:
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    except (binascii.Error, ValueError) as error:
        raise EmbedderError(f"{source} gave an embedding that is neither a list of numbers nor base64 of float32") from error
