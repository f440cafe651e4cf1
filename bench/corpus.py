"""Made-up memories and questions, the same in every run: words as rare and as frequent as words are, in dated sessions.

The most frequent words are English, function words first. With the vectors given, the vocabulary goes on with
made-up words down to the rarest; end to end it stops at the English ones, for a model cuts made-up words into many pieces.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.vectors import DIMENSIONS, near
from cued.model import Matrix, Vector

NOW = datetime(2026, 1, 1, tzinfo=UTC)
FIRST_AT = datetime(2024, 1, 1, tzinfo=UTC)
SPAN = timedelta(days=700)
WORDS_LEAST, WORDS_MOST = 8, 40
PAGE_CHARACTERS = 2400
TURNS = 16
VOCABULARY = 30_000
QUESTION_SEED = 7

FUNCTION = """the to and of a in is it that for on was with as at by this be are from or an had not but what all were when we there
can your which their said if will each about how up out them then she many some so these would into has more her two him""".split()
ENGLISH = """time people work year house day place water money week friend school family city month story book music food car night
morning project meeting table garden kitchen doctor teacher letter phone computer server database report budget ticket flight train
hotel holiday beach mountain river forest dog cat horse bird coffee tea bread cheese dinner lunch breakfast recipe weather winter
summer spring autumn sister brother mother father daughter neighbour painting camera guitar piano concert film theatre museum game
football tennis marathon bicycle engine battery screen keyboard password account invoice contract office manager customer release
deploy branch version error cache index query schema backup cluster region latency traffic alert rotation review deadline design
prefer decide remember forget want need like love hate plan start finish build break repair clean cook bake paint draw sing play
run walk swim climb drive ride visit travel move leave arrive return call write read learn teach study answer ask explain promise
send receive buy sell order pay save spend borrow lend find lose keep throw wear wash grow plant water cut open close lock sleep
wake dream worry hope laugh cry celebrate marry divorce adopt volunteer donate apply interview hire promote retire train measure
blue green red yellow white black small large old new young quiet loud early late fast slow cheap expensive happy sad tired angry
warm cold sweet bitter fresh broken empty full heavy light safe dangerous simple difficult important secret public private local""".split()
NAMES = """Alice Bruno Carla Deniz Emma Farid Greta Hugo Ines Jonas Keiko Lars Maria Nadia Oscar Paula Quentin Rosa Samir Tessa
Ulrich Vera Walter Ximena Yusuf Zoe""".split()
MONTHS = "January February March April May June July August September October November December".split()
FRAMES = (
    "What did {name} say about {words}?",
    "{words} in {month} {year}",
    "When was the {words}?",
    "Does {name} still prefer {words}?",
    "what happened with {words} last month",
    "tell me about {words}",
    "which {words} was it that {name} and I talked about",
    "{words}",
)


class Block(NamedTuple):
    """Some memories of one tenant as `remember_many` takes them, and their vectors."""

    drafts: list[dict[str, Any]]
    vectors: Matrix


class Question(NamedTuple):
    """A cue and its vector, and the number of the memory that it was made from."""

    text: str
    vector: Vector
    about: int


@lru_cache
def vocabulary(size: int = VOCABULARY) -> tuple[str, ...]:
    """The words from the most frequent to the rarest: English ones, then made-up ones of three syllables."""
    syllables = ["".join(pair) for pair in product("bdfgklmnprstvz", "aeiou")]
    made_up = ("".join(word) for word in product(syllables, repeat=3))
    words = dict.fromkeys([*FUNCTION, *ENGLISH])
    while len(words) < size:
        words[next(made_up)] = None
    return tuple(words)[:size]


def block(tenant: int, start: int, count: int, *, among: int, words: tuple[str, ...]) -> Block:
    """The memories number `start` to `start + count` of a tenant that has `among` of them."""
    chance = np.random.default_rng((tenant, start))
    lengths = chance.integers(WORDS_LEAST, WORDS_MOST + 1, size=count)
    drawn = _zipf(chance, int(lengths.sum()), len(words))
    ends = np.cumsum(lengths)
    sessions = max(among // TURNS, 1)
    drafts = []
    for number, (end, length) in enumerate(zip(ends.tolist(), lengths.tolist(), strict=True), start=start):
        session, turn = divmod(number, TURNS)
        at = FIRST_AT + SPAN * (min(session, sessions) / (sessions + 1)) + timedelta(minutes=turn)
        said = [words[rank] for rank in drawn[end - length : end].tolist()]
        drafts.append(
            {
                "text": _sentence(said, number),
                "speaker": NAMES[(tenant + turn % 2) % len(NAMES)],
                "session": f"session {session}",
                "turn": turn,
                "at": at,
            }
        )
    return Block(drafts, near(_centres(tenant)[chance.integers(0, len(_centres(tenant)), size=count)], chance))


def pages(made: Block, start: int, *, words: tuple[str, ...]) -> Block:
    """The same memories as pages of 2.4 kB: each begins with its sentence and goes on with others."""
    chance = np.random.default_rng((start, PAGE_CHARACTERS))
    return Block([draft | {"text": _page(draft["text"], chance, words)} for draft in made.drafts], made.vectors)


def notes(made: Block) -> Block:
    """The same memories as notes, of no session and by nobody in particular."""
    return Block([{"text": draft["text"], "at": draft["at"]} for draft in made.drafts], made.vectors)


def questions(asked_of: Block, count: int, *, words: tuple[str, ...]) -> list[Question]:
    """Questions whose words stand in one of the memories and whose vector is near that memory's."""
    chance = np.random.default_rng(QUESTION_SEED)
    targets = chance.integers(0, len(asked_of.drafts), size=count)
    vectors = near(asked_of.vectors[targets], chance)
    common = set(words[: len(FUNCTION)])
    made = []
    for number, target in enumerate(targets.tolist()):
        content = [word for word in asked_of.drafts[target]["text"].rstrip(".").split() if word.islower() and word not in common]
        said = chance.permutation(content or ["nothing"])[: 2 + number % 4].tolist()
        frame = FRAMES[number % len(FRAMES)]
        text = frame.format(words=" ".join(said), name=NAMES[number % len(NAMES)], month=MONTHS[number % 12], year=2024 + number % 2)
        made.append(Question(text, vectors[number], target))
    return made


def _sentence(words: list[str], number: int) -> str:
    """The words as a sentence; every fourth names somebody and every sixth a date."""
    said = list(words)
    if number % 4 == 0:
        said[len(said) // 2] = NAMES[number // 4 % len(NAMES)]
    if number % 6 == 0:
        said += ["on", str(1 + number % 28), MONTHS[number % 12], str(2024 + number % 2)]
    said[0] = said[0].capitalize()
    return " ".join(said) + "."


def _page(first: str, chance: np.random.Generator, words: tuple[str, ...]) -> str:
    text = first
    while len(text) < PAGE_CHARACTERS:
        said = [words[rank] for rank in _zipf(chance, int(chance.integers(WORDS_LEAST, WORDS_MOST)), len(words)).tolist()]
        text += " " + _sentence(said, 1)
    return text[:PAGE_CHARACTERS]


def _zipf(chance: np.random.Generator, count: int, size: int) -> NDArray[np.intp]:
    """Ranks from 0, rank r as often as 1/(r+1) says (Zipf 1935)."""
    shares = np.cumsum(1 / np.arange(1, size + 1))
    ranks: NDArray[np.intp] = np.searchsorted(shares, chance.random(count) * shares[-1])
    return ranks


@lru_cache(maxsize=4)
def _centres(tenant: int) -> Matrix:
    """What the tenant's memories are about: 64 directions that have a little in common."""
    chance = np.random.default_rng((tenant, DIMENSIONS))
    shared = np.random.default_rng(0).standard_normal((1, DIMENSIONS))
    mixed = chance.standard_normal((64, DIMENSIONS)) + 0.4 * shared
    centres: Matrix = (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)
    return centres
