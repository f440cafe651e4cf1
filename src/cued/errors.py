"""Every error Cued raises, as one tree.

CuedError
├── InputError            an argument that cannot be accepted (also a ValueError)
│   └── PolicyError       a policy with problems, all of them at once
├── NotFoundError         no such memory in this tenant (also a LookupError)
├── StoreError            the store cannot do what was asked
│   ├── ForeignFileError  the file is not a Cued database
│   ├── CorruptError      the file is a Cued database, and damaged
│   ├── NewerSchemaError  the file was written by a newer Cued
│   ├── ReadOnlyError     the file or its folder cannot be written
│   ├── FullError         the disk is full
│   └── BusyError         another process held the file for too long
└── EmbedderError         the embedder gave nothing usable
"""

from collections.abc import Sequence


class CuedError(Exception):
    """Whatever Cued raises on purpose."""


class InputError(CuedError, ValueError):
    """An argument was refused: which one, what it was, and what would be accepted."""

    def __init__(self, field: str, got: object, accepted: str) -> None:
        """Name the field, show what came, say what is accepted."""
        shown = repr(got)
        if len(shown) > _SHOWN:
            shown = shown[:_SHOWN] + "…"
        super().__init__(f"{field}: got {shown}; accepted: {accepted}")
        self.field = field
        self.accepted = accepted


class PolicyError(InputError):
    """A policy has problems; `problems` lists each with its TOML path."""

    def __init__(self, name: str, problems: Sequence[str]) -> None:
        """Keep every problem, so that one look is enough to repair the file."""
        CuedError.__init__(self, "\n".join([f"policy {name!r} has {len(problems)} problem(s):", *(f"  {p}" for p in problems)]))
        self.field = "policy"
        self.accepted = "see docs/reference/policy.md"
        self.problems = tuple(problems)


class NotFoundError(CuedError, LookupError):
    """No memory with this id exists in this tenant."""

    def __init__(self, memory_id: str) -> None:
        """Name the id that was asked for."""
        super().__init__(f"no memory {memory_id!r} in this tenant; ids are as `list` and `recall` show them")
        self.memory_id = memory_id


class StoreError(CuedError):
    """The store cannot do what was asked."""


class ForeignFileError(StoreError):
    """The file exists and is not a Cued database."""


class CorruptError(StoreError):
    """The file is a Cued database and is damaged."""


class NewerSchemaError(StoreError):
    """The file was written by a newer Cued."""


class ReadOnlyError(StoreError):
    """The file or its folder cannot be written."""


class FullError(StoreError):
    """The disk is full; nothing of the refused write was kept."""


class BusyError(StoreError):
    """Another process held the file for longer than the busy timeout."""


class EmbedderError(CuedError):
    """The embedder was unreachable or gave something that cannot be used."""


_SHOWN = 60
