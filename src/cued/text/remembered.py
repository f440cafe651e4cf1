"""What is worked out of single words, remembered: the same ones come back text after text."""

from collections.abc import Callable
from typing import TypeVar

Worked = TypeVar("Worked")


class Remembered(dict[str, Worked]):
    """What a function gives for a word, asked by `[word]`, which takes half the time of a cached call; long words are not kept."""

    def __init__(self, work: Callable[[str], Worked], *, most: int, longest: int = 48) -> None:
        """Remember up to so many words, none of them longer than this, so that no text can fill the memory."""
        super().__init__()
        self._work, self._most, self._longest = work, most, longest

    def __missing__(self, word: str) -> Worked:
        """What the function gives for a word that is not known yet."""
        worked = self._work(word)
        if len(word) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[word] = worked
        return worked
