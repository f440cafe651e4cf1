"""Where a store's memories are: in a file, in this process, in PostgreSQL, or on a server."""

import os
from urllib.parse import unquote, urlsplit, urlunsplit

from langgraph.store.base import IndexConfig

from cued.errors import InputError
from cued.handles.memories import IN_MEMORY, Memories, open_memories
from cued.integrations.langgraph.lent_embedder import LentEmbedder

TOKEN = "CUED_TOKEN"  # noqa: S105 - the name of the variable


def opened(conn_string: str, index: IndexConfig | None) -> Memories:
    """The memories at a place, with the embedder of the index configuration where it has one."""
    if not isinstance(conn_string, str):
        raise InputError("conn_string", conn_string, f"the path of a file, a postgresql:// or https:// address, or {IN_MEMORY!r}")
    lends = bool(index and index.get("embed") is not None)
    if conn_string.startswith(("http://", "https://")):
        if lends:
            raise InputError("index", "an `embed`", "none with a server, which embeds by itself")
        return _connected(conn_string)
    embedder = LentEmbedder(index) if index and lends else "auto"
    return open_memories(conn_string, embedder=embedder)


def _connected(url: str) -> Memories:
    from cued import connect  # noqa: PLC0415 - the public face, which loads the client when it is asked for

    parts = urlsplit(url)
    name, _, host = parts.netloc.rpartition("@")
    token = unquote(name.rpartition(":")[2]) or os.environ.get(TOKEN, "")
    if not token:
        raise InputError("conn_string", url, f"an address with a token, https://TOKEN@host, or a token in {TOKEN}")
    return connect(urlunsplit(parts._replace(netloc=host or parts.netloc)), token=token)
