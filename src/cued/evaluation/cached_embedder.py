"""A cache of vectors by embedder and text, so that a data set is embedded once."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

import apsw
import numpy as np

from cued.errors import StoreError
from cued.evaluation.cache import digest
from cued.model import Fingerprint, Matrix, Vector
from cued.ports import Embedder, Role


class CachedEmbedder:
    """An embedder that embeds each text once; its fingerprint is that of the embedder it wraps."""

    def __init__(self, embedder: Embedder, folder: Path | None) -> None:
        """Keep the vectors in a file in the folder; without one, in this process alone."""
        self._embedder = embedder
        self._path = ":memory:" if folder is None else str(folder / f"vectors-{digest(str(embedder.fingerprint))}.db")
        try:
            self._file = apsw.Connection(self._path)
            self._file.set_busy_timeout(10_000)
            if folder is not None:
                # Reading leaves no trace on a file, and what was used longest ago is deleted first.
                Path(self._path).touch()
            # What a crash loses is embedded again.
            self._file.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
            self._file.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        except apsw.Error as error:
            raise StoreError(f"the cache {self._path} cannot be used: {error}; delete it, or name another folder") from error

    @property
    def fingerprint(self) -> Fingerprint:
        """The model that makes these vectors."""
        return self._embedder.fingerprint

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        """One unit vector a text, in order; only texts never seen before are embedded."""
        keys = {text: blake2b(f"{role}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest() for text in texts}
        known = {text: vector for text, key in keys.items() if (vector := self._known(key)) is not None}
        fresh = [text for text in keys if text not in known]
        if fresh:
            vectors = self._embedder.embed(fresh, role=role)
            self.keep({keys[text]: vector for text, vector in zip(fresh, vectors, strict=True)})
            known |= dict(zip(fresh, vectors, strict=True))
        return np.array([known[text] for text in texts], dtype=np.float32).reshape(len(texts), -1)

    def keep(self, vectors: Mapping[bytes, Vector]) -> None:
        """Store vectors under their keys."""
        rows = ((key, np.asarray(vector, dtype="<f4").tobytes()) for key, vector in vectors.items())
        with self._file:
            self._file.executemany("INSERT OR REPLACE INTO vectors (key, vector) VALUES (?, ?)", rows)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _known(self, key: bytes) -> Vector | None:
        row = self._file.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        if row is None or len(row[0]) != 4 * self.fingerprint.dimensions:
            return None
        return np.frombuffer(row[0], dtype="<f4").astype(np.float32)
