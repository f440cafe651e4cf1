"""Every error Cued raises, as one tree.

CuedError
├── InputError            an argument that cannot be accepted (also a ValueError)
│   ├── UnknownFieldError a field that no request of this kind has
│   └── PolicyError       a policy with problems, all of them at once
├── ConflictError         a memory that was not stored, for it is at odds with another
├── TrustError            what is less trusted may not do this to what is more
├── QuotaError            a tenant has or asks as much as it may
│   └── RateError         more recalls in a minute than the tenant may ask for
├── NotFoundError         no such memory in this tenant (also a LookupError)
├── StoreError            the store cannot do what was asked
│   ├── ForeignFileError  the file is not a Cued database
│   ├── CorruptError      the file is a Cued database, and damaged
│   ├── NewerSchemaError  the file was written by a newer Cued
│   ├── ReadOnlyError     the file, its folder or the database cannot be written
│   ├── FullError         the disk is full
│   ├── BusyError         another process held the file for too long
│   │   └── ContestedError   others changed the same at the same time, and went first
│   ├── AccessError       a server does not let this token do that
│   ├── ServerError       a server cannot be reached, or does not answer as Cued does
│   └── LostConnectionError  the database server cannot be reached, or went away
└── EmbedderError         the embedder gave nothing usable
"""

from collections.abc import Collection, Sequence
from typing import Any

_SHOWN = 60
"""How many characters of a text are shown where one is quoted."""


class CuedError(Exception):
    """Whatever Cued raises on purpose."""

    def __reduce__(self) -> tuple[Any, ...]:
        """The error as another process makes it anew: by its words and fields, for few are made from the words alone."""
        return _made_again, (type(self), self.args, vars(self))


def _made_again(kind: type[CuedError], args: tuple[Any, ...], fields: dict[str, Any]) -> CuedError:
    made = kind.__new__(kind, *args)
    vars(made).update(fields)
    return made


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


class UnknownFieldError(InputError):
    """A field is not known: which one, the one that may have been meant, and all that there are."""

    def __init__(self, field: str, known: Collection[str]) -> None:
        """Name the field, the nearest known one, and the others."""
        from difflib import get_close_matches  # noqa: PLC0415 - few fields are misspelled

        near = get_close_matches(field, known, n=1)
        meant = f" did you mean {near[0]!r}?" if near else ""
        CuedError.__init__(self, f"unknown field {field[:_SHOWN]!r};{meant} known: {', '.join(known)}")
        self.field = field
        self.accepted = f"one of {', '.join(known)}"


class PolicyError(InputError):
    """A policy has problems; `problems` lists each with its TOML path."""

    def __init__(self, name: str, problems: Sequence[str]) -> None:
        """Keep every problem, so that one look is enough to repair the file."""
        CuedError.__init__(self, "\n".join([f"policy {name!r} has {len(problems)} problem(s):", *(f"  {p}" for p in problems)]))
        self.field = "policy"
        self.accepted = "see docs/reference/policy.md"
        self.problems = tuple(problems)


class ConflictError(CuedError):
    """A memory was not stored, because it is at odds with what is; `conflicts` says with what, and how each may be resolved."""

    def __init__(self, conflicts: Sequence[Any]) -> None:
        """Keep the conflicts, and name the stored memories."""
        with_what = ", ".join(f"{conflict.id!r} ({conflict.type})" for conflict in conflicts)
        super().__init__(f"not stored: at odds with {with_what}; accepted: on_conflict report or supersede, or another text")
        self.conflicts = tuple(conflicts)


class TrustError(CuedError):
    """A caller or a memory of lower trust was refused what only a higher one may do; `memory_id` is the memory it was to be done to."""

    def __init__(self, refused: str, remedy: str, *, memory_id: str | None = None) -> None:
        """Say what was refused and what would be accepted."""
        super().__init__(f"{refused}; accepted: {remedy}")
        self.accepted = remedy
        self.memory_id = memory_id


class QuotaError(CuedError):
    """A tenant has as much as its quota allows; nothing was written."""

    def __init__(self, quota: str, most: int, remedy: str) -> None:
        """Name the quota, how much it allows, and what helps."""
        super().__init__(f"quota: {most:,} {quota} are all that this tenant may have; accepted: {remedy}")
        self.quota, self.most, self.accepted = quota, most, remedy


class RateError(QuotaError):
    """A tenant recalls more often than its quota allows; `retry_after_s` says how long to wait."""

    def __init__(self, most: int, retry_after_s: float) -> None:
        """Say how many a minute there may be, and how long to wait."""
        CuedError.__init__(
            self, f"quota: {most:,} recalls a minute are all that this tenant may ask for; accepted: wait {retry_after_s:.0f} s"
        )
        self.quota, self.most, self.accepted = "recalls a minute", most, f"wait {retry_after_s:.0f} s"
        self.retry_after_s = retry_after_s


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
    """The file or its folder cannot be written, or the database server only reads."""


class FullError(StoreError):
    """The disk is full; nothing of the refused write was kept."""


class BusyError(StoreError):
    """Another process held the file for longer than the busy timeout."""


class ContestedError(BusyError):
    """The database let others go first who changed the same at the same time; nothing of this was kept."""


class AccessError(StoreError):
    """A server refused the token, or what it asked for."""


class ServerError(StoreError):
    """A server cannot be reached, or does not answer as Cued does."""


class LostConnectionError(StoreError):
    """The database server cannot be reached, or went away in the middle; of what was being written, it may or may not have kept all."""


class EmbedderError(CuedError):
    """The embedder was unreachable or gave something that cannot be used."""
