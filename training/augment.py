"""Turns a row of a corpus into one training example: names swapped, speakers dropped, texts lengthened, cues shortened. Pure.

The corpora know six sitcom names and one way to ask. What must be learnt is that *some* name in the cue meets *some* speaker,
and that a remark counts although it lies inside a long message; so names, persons and lengths are varied here.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from training.corpora import Row

SPEAKER = re.compile(r"^([A-Za-z][^:\n]{0,60}?): (?=\S)")
NARRATOR = re.compile(r"\b(?:the|this) (?:narrator|speaker|author|writer|person|poster|user)\b", re.IGNORECASE)
LONG_WORDS = 150
FIRST_NAME_ONLY = 0.5
ABOUT_ONESELF = 0.4
NAMES = tuple((Path(__file__).parent / "names.txt").read_text(encoding="utf-8").split())
STOP_WORDS = frozenset(
    """
    a an and are as at be been but by can could did do does for from had has have he her him his how i if in is it its me my
    of on or our she should so than that the their them there these they this those to was we were what when where which who
    whom why will with would you your
    """.split()
)
TO_NAME = (
    (r"\bare you\b", "is {name}"),
    (r"\bdo you\b", "does {name}"),
    (r"\bhave you\b", "has {name}"),
    (r"\bwere you\b", "was {name}"),
    (r"\bdon't you\b", "doesn't {name}"),
    (r"\byou are\b", "{name} is"),
    (r"\byou're\b", "{name} is"),
    (r"\byou have\b", "{name} has"),
    (r"\byourself\b", "{name}"),
    (r"\byours\b", "{name}'s"),
    (r"\byour\b", "{name}'s"),
    (r"\byou\b", "{name}"),
)
TO_ME = (
    (r"\bare you\b", "am I"),
    (r"\bwere you\b", "was I"),
    (r"\byou are\b", "I am"),
    (r"\byou're\b", "I'm"),
    (r"\byourself\b", "myself"),
    (r"\byours\b", "mine"),
    (r"\byour\b", "my"),
    (r"\byou\b", "I"),
)


@dataclass(frozen=True)
class Passage:
    """A text as the model sees it, and the corpus texts inside it, by which false negatives are known."""

    text: str
    keys: frozenset[str]


@dataclass(frozen=True)
class Example:
    """A cue, the passage to find, and passages that must not be found first."""

    cue: str
    positive: Passage
    negatives: tuple[Passage, ...]
    answers: frozenset[str]


@dataclass(frozen=True)
class Chances:
    """How often each variation is made, each between 0 and 1."""

    rename: float = 0.5
    drop_speakers: float = 0.25
    long: float = 0.2
    person: float = 0.7
    wrong_speaker: float = 0.0
    keywords: float = 0.05
    agent_state: float = 0.05


@dataclass(frozen=True)
class Style:
    """What all examples of one batch share, so that form never tells which passage is whose."""

    speakers: bool
    long: bool


def style(chances: Chances, rng: Random) -> Style:
    """The style of one batch."""
    return Style(speakers=rng.random() >= chances.drop_speakers, long=rng.random() < chances.long)


def example(row: Row, form: Style, chances: Chances, rng: Random, *, negatives: int) -> Example:
    """One example of a row with at most `negatives` texts of its own dialogue to tell apart."""
    answers = frozenset((*row.answers, *filter(None, (row.topic,))))
    answer = rng.choice(row.answers)
    others = rng.sample(row.others, min(len(row.others), negatives + (6 if form.long else 0)))
    cue, texts = _vary_people(row.cue, [answer, *others], chances, rng)
    keyed = [Passage(text, frozenset((key,))) for text, key in zip(texts, (answer, *others), strict=True)]
    keyed[0] = replace(keyed[0], keys=answers & {answer, row.topic})
    wrong = _wrong_speaker(cue, keyed, rng) if rng.random() < chances.wrong_speaker else ()
    if not form.speakers:
        keyed = [replace(passage, text=SPEAKER.sub("", passage.text)) for passage in keyed]
        wrong = ()
    if form.long:
        return Example(_vary_cue(cue, chances, rng), *_lengthen(keyed, rng), answers)
    kept = (*wrong, *keyed[1:])[:negatives]
    return Example(_vary_cue(cue, chances, rng), keyed[0], kept, answers)


def speaker(text: str) -> str | None:
    """The name before the colon of `name: text`, or None."""
    found = SPEAKER.match(text)
    return found[1] if found else None


def rename(cue: str, texts: list[str], rng: Random) -> tuple[str, list[str]]:
    """Cue and texts with every speaker's first name swapped for another one, the same everywhere."""
    firsts = {name.split()[0] for text in texts if (name := speaker(text))}
    firsts = {name for name in firsts if re.fullmatch(r"[A-Z][a-z]{2,}", name)}
    if not firsts:
        return cue, texts
    swap = dict(zip(sorted(firsts), rng.sample(NAMES, len(firsts)), strict=True))
    words = re.compile(r"\b(" + "|".join(map(re.escape, sorted(firsts))) + r")\b")
    shorten = rng.random() < FIRST_NAME_ONLY

    def swapped(text: str) -> str:
        name = speaker(text)
        if name and shorten and name.split()[0] in swap:
            text = name.split()[0] + text[len(name) :]
        return words.sub(lambda found: swap[found[1]], text)

    return swapped(cue), [swapped(text) for text in texts]


def third_person(cue: str, name: str) -> str:
    """A question put to somebody as one about `name`: "do you read" becomes "does Nora read"."""
    return _rewrite(cue, TO_NAME, name)


def first_person(cue: str) -> str:
    """A question put to somebody as one about oneself: "do you read" becomes "do I read"."""
    return _rewrite(cue, TO_ME, "I")


def keywords(cue: str) -> str:
    """The words that a hurried user would type: the cue without its function words, or the cue itself if nothing is left."""
    words = [word for word in re.findall(r"[\w'./-]+", cue) if word.lower() not in STOP_WORDS]
    return " ".join(words) or cue


def _rewrite(cue: str, rules: tuple[tuple[str, str], ...], name: str) -> str:
    for pattern, becomes in rules:
        cue = re.sub(pattern, becomes.format(name=name), cue, flags=re.IGNORECASE)
    return cue[:1].upper() + cue[1:]


def _vary_people(cue: str, texts: list[str], chances: Chances, rng: Random) -> tuple[str, list[str]]:
    if any(speaker(text) for text in texts):
        return rename(cue, texts, rng) if rng.random() < chances.rename else (cue, texts)
    asks_you = re.search(r"\byou\b", cue, re.IGNORECASE)
    if rng.random() >= chances.person or not (asks_you or NARRATOR.search(cue)):
        return cue, texts
    name, other = rng.sample(NAMES, 2)
    if rng.random() < ABOUT_ONESELF:
        return (first_person(cue) if asks_you else NARRATOR.sub("I", cue)), texts
    named = third_person(cue, name) if asks_you else NARRATOR.sub(name, cue)
    return named, [f"{name}: {texts[0]}", *(f"{rng.choice((name, other))}: {text}" for text in texts[1:])]


def _wrong_speaker(cue: str, keyed: list[Passage], rng: Random) -> tuple[Passage, ...]:
    name = speaker(keyed[0].text)
    if not name or name.split()[0] not in cue:
        return ()
    others = sorted({found for passage in keyed[1:] if (found := speaker(passage.text)) and found != name} or {rng.choice(NAMES)})
    return (Passage(rng.choice(others) + keyed[0].text[len(name) :], frozenset()),)


def _vary_cue(cue: str, chances: Chances, rng: Random) -> str:
    draw = rng.random()
    if draw < chances.keywords:
        return keywords(cue)
    if draw < chances.keywords + chances.agent_state:
        return rng.choice(
            (f"Goal: {cue}", f"Goal: answer the user\nCurrent step: {cue}", f"Open question: {cue}", f"Task: {keywords(cue)}\n{cue}")
        )
    return cue


def _lengthen(keyed: list[Passage], rng: Random) -> tuple[Passage, tuple[Passage, ...]]:
    positive, *others = keyed
    rng.shuffle(others)
    half = len(others) // 2
    return _joined([positive, *others[:half]], rng), (_joined(others[half:], rng),) if others[half:] else ()


def _joined(passages: list[Passage], rng: Random) -> Passage:
    kept, words = [passages[0]], len(passages[0].text.split())
    for passage in passages[1:]:
        words += len(passage.text.split())
        if words > LONG_WORDS:
            break
        kept.append(passage)
    rng.shuffle(kept)
    return Passage(rng.choice((" ", "\n")).join(passage.text for passage in kept), frozenset().union(*(passage.keys for passage in kept)))
