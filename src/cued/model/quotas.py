"""How much one tenant may keep and ask for, as settings of a store."""

from msgspec import Struct

from cued.errors import InputError


class Quotas(Struct, frozen=True, kw_only=True):
    """The most that each tenant may have; None bounds nothing.

    `bytes` counts texts with all that is kept of them but vectors and indexes. Recalls are counted in this process.
    """

    memories: int | None = None
    bytes: int | None = None
    recalls_a_minute: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no quota can be."""
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 2**62):
                raise InputError(f"quotas.{name}", value, "a whole number, 1 or more, or None for no bound")
