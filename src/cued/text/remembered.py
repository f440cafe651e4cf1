"""A cache for what is computed from single words: the same words come back in text after text."""

from collections.abc import Callable
from typing import TypeVar

Worked = TypeVar("Worked")


class Remembered(dict[str, Worked]):
    """A function's results by word; `[word]` takes half the time of a call of `lru_cache`, and long words are not kept."""

    def __init__(self, work: Callable[[str], Worked], *, most: int, longest: int = 48) -> None:
        """Keep at most so many words, none longer than this, so that no text can fill the memory."""
        super().__init__()
        self._work, self._most, self._longest = work, most, longest

    def __missing__(self, word: str) -> Worked:
        """The function's result for a word that is not kept yet."""
        worked = self._work(word)
        if len(word) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[word] = worked
        return worked
