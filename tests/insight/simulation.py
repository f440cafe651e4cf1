"""Simulated traffic whose truth is known: tenants of every sort, cues with and without an answer in the store, over days."""

import hashlib
import random
import re
from datetime import timedelta

import numpy as np

import cued
from cued import LogRules
from cued.model import Fingerprint
from tests.building import NOW
from tests.fakes import FixedClock

PEOPLE = ("Mira", "Jonas", "Priya", "Tomas", "Aisha", "Leon", "Greta", "Hugo", "Ines", "Kofi", "Lena", "Oskar")
THINGS = ("kettle", "ladder", "passport", "violin", "drill", "tent", "sledge", "camera", "compass", "lantern", "teapot", "saddle")
PLACES = ("attic", "garage", "cellar", "hallway", "shed", "office", "pantry", "balcony", "studio", "barn", "boat", "van")
FOREIGN = (
    "How long does an egg boil?",
    "Which river flows through Vienna?",
    "What rhymes with orange?",
    "Who painted the night watch?",
    "How many moons has Jupiter?",
    "When was the printing press invented?",
    "What is the boiling point of ethanol?",
    "Which gas do plants breathe in?",
    "How do I whistle louder?",
    "Who wrote Don Quixote?",
)
_SAME = {"store": "keep", "keeps": "keep", "stores": "keep", "put": "keep", "where": "keep", "kept": "keep", "find": "keep"}
_EMPTY = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "to",
        "is",
        "does",
        "do",
        "did",
        "for",
        "and",
        "her",
        "his",
        "their",
        "which",
        "what",
        "who",
        "how",
        "when",
        "was",
        "has",
        "my",
    ]
)


class ConceptEmbedder:
    """An embedder of known truth: a text is the sum of its words' directions, and words of one meaning share theirs."""

    def __init__(self, name="concepts", dimensions=96):
        self.name, self.dimensions = name, dimensions
        self._known = {}

    @property
    def fingerprint(self):
        return Fingerprint(provider="fake", model=self.name, revision="1", dimensions=self.dimensions)

    def embed(self, texts, *, role):
        return np.array([self._vector(text) for text in texts], dtype=np.float32)

    def _vector(self, text):
        words = [_SAME.get(word, word) for word in re.findall(r"\w+", text.lower()) if word not in _EMPTY]
        total = np.sum([self._direction(word) for word in words] or [self._direction("nothing")], axis=0)
        return total / np.linalg.norm(total)

    def _direction(self, word):
        if word not in self._known:
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest())
            self._known[word] = np.random.default_rng(seed).normal(size=self.dimensions)
        return self._known[word]


class World:
    """One open store on a clock of its own, with a tenant that is filled and asked."""

    def __init__(self, *, seed=1, start=NOW, embedder="concepts", keep="off", path=None, **parts):
        self.random, self.clock = random.Random(seed), FixedClock(start)
        made = ConceptEmbedder() if embedder == "concepts" else embedder
        self.memories = cued.open(path, embedder=made, settle="now", clock=self.clock, log=LogRules(content=keep), **parts)
        self.tenant = self.memories.tenant("t")
        self.facts = []

    def fill(self, count=120, **facts):
        """Store facts: who keeps what where, each pair of person and thing once."""
        pairs = [(person, thing) for thing in THINGS for person in PEOPLE]
        self.random.shuffle(pairs)
        for number, (person, thing) in enumerate(pairs[:count]):
            place = self.random.choice(PLACES)
            when = self.clock() - timedelta(days=self.random.randrange(1, 120), minutes=number)
            told = {name: value(number) if callable(value) else value for name, value in facts.items()}
            self.tenant.remember(f"{person} keeps the {thing} in the {place}.", id=f"m{number:03}", at=when, conflicts=False, **told)
            self.facts.append((f"m{number:03}", person, thing, place))
        return self

    def cue(self, fact):
        """A cue that this fact answers."""
        _, person, thing, _ = fact
        form = self.random.choice(("Where does {} keep the {}?", "Where did {} put the {}?", "Find where {} stores the {}."))
        return form.format(person, thing)

    def foreign(self):
        """A cue that nothing here answers."""
        return self.random.choice(FOREIGN)

    def ask(self, count=240, *, answerable=0.5, turns=4, **options):
        """So many recalls over twenty days, in conversations of a few turns; the share of cues that have an answer is given."""
        for number in range(count):
            cue = self.cue(self.random.choice(self.facts)) if self.random.random() < answerable and self.facts else self.foreign()
            self.tenant.recall(cue, conversation=f"c{number // turns}", **options)
            self.clock.move(minutes=20 * 24 * 60 / count)
        return self

    def pairs(self, count, *, nothing=0.2):
        """Labelled cues: each with the fact that answers it, and some that nothing answers."""
        made = []
        for number in range(count):
            fact = self.random.choice(self.facts)
            none = self.random.random() < nothing
            at = (self.clock() + timedelta(minutes=number)).isoformat()
            made.append({"query": self.foreign() if none else self.cue(fact), "gold_ids": [] if none else [fact[0]], "asked_at": at})
        return made

    def named(self):
        """What the doctor names."""
        return set(self.tenant.doctor().named)

    def close(self):
        self.memories.close()
