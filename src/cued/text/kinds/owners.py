"""Whose value it is: whether a text is about somebody else than a cue asks about."""

from collections.abc import Collection
from typing import Final

from cued.text.intent import of_somebody_else, told_about

_ROLES: Final = frozenset(
    """husband wife partner boyfriend girlfriend spouse fiancé fiancée ex son daughter kid child baby brother sister sibling twin cousin
    uncle aunt nephew niece grandson granddaughter boy girl friend neighbour neighbor flatmate roommate colleague boss manager supervisor
    mentor trainee intern landlord landlady tenant owner doctor gp dentist vet nurse therapist teacher tutor coach trainer nanny babysitter
    cleaner plumber electrician builder gardener lawyer accountant agent client customer host guest driver captain pastor priest""".split()
)
"""What somebody with a name may also be called."""


def of_another(text: str, name: str, names: Collection[str]) -> bool:
    """Whether a text with these names is about somebody else by name, and not by a role such as "Sister".

    "Tom's number" is not Mira's; "Sister's number" may be, and "Seven numbers" is nobody's.
    """
    return of_somebody_else(text, name) and (told := told_about(text).lower()) in names and told not in _ROLES
