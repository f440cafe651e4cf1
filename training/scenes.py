"""Training pairs of our own writing: remarks of everyday life and work with the questions that they answer, over names and things.

The public corpora hold few remarks of the kind that people tell an assistant in passing. `scenes.tsv` has the remarks and two
questions each, the second asking without the remark's words; `know_how.tsv` has pairs about preferences, errors, code,
instructions and numbers; `pairs/` has facts, notes and decisions, each with another of its topic that does not help, and with a
question, a request and an aside that need the first and do not use its words.
"""

import csv
import re
from pathlib import Path
from random import Random

from training.augment import NAMES, speaker
from training.corpora import Row

SCENES = Path(__file__).parent / "scenes.tsv"
KNOW_HOW = Path(__file__).parent / "know_how.tsv"
PAIRS = Path(__file__).parent / "pairs"
SLOT = re.compile(r"\{(\w+)\}")
THINGS = {
    "class": "a pottery class|an evening course in drawing|salsa lessons|a first-aid course|a coding course|yoga lessons|a sewing course",
    "time": "last week|two days ago|yesterday|last month|on Sunday|in spring|last Friday|over the holidays|a fortnight ago|back in March",
    "future": "next week|in two months|on Monday|next summer|tomorrow|in October|at the end of the month|in three days",
    "month": "January|March|May|July|September|November",
    "weekday": "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday",
    "relative": "sister|brother|mother|father|cousin|aunt|grandfather|niece|uncle|grandmother",
    "item": "a camera|a mechanical keyboard|a blue coat|an electric bike|a sewing machine|a silver ring|a telescope|a coffee grinder",
    "clothes": "trainers|slippers|scarf|leather jacket|headphones",
    "pet": "a kitten|a puppy|a parrot|two guinea pigs|an old beagle|a rescue dog|a rabbit",
    "petname": "Biscuit|Luna|Pepper|Momo|Captain|Hazel|Ziggy|Olive",
    "race": "a marathon|a ten-kilometre race|a triathlon|a charity run|a half marathon",
    "city": "Lisbon|Oslo|Kyoto|Montreal|Naples|Seville|Dublin|Prague|Nairobi|Denver|Hanoi",
    "workplace": "the city library|a film studio|a bakery|a law firm|the hospital|a games company|the zoo|an insurance company",
    "illness": "a bad back|pneumonia|asthma|high blood pressure|a broken hip|migraines",
    "place": "the river|the old harbour|the station|the lake|the botanical garden|the lighthouse|the market square",
    "subject": "birds|the sea|old trains|mountains|space travel|growing up|wild flowers|street life|lost letters",
    "dish": "lasagne|dumplings|a lemon tart|chicken curry|mushroom risotto|apple pie|fish tacos",
    "food": "strawberries|cheese|bread|shrimp|sugar|walnuts|tomatoes",
    "goods": "candles|handmade bags|vintage clothes|spices|wooden toys|ceramics|houseplants",
    "charity": "the animal shelter|the food bank|the youth club|the hospice|the refugee centre|the homeless shelter",
    "amount": "80 dollars|1,200 euros|300 pounds|4,500 dollars|60 euros|950 dollars",
    "event": "street festival|school play|family reunion|book launch|auction|dance show|science fair",
    "kids": "dinosaurs|football stickers|painting|trampolines|magic tricks|trains",
    "genre": "crime|historical|fantasy|romance|science fiction",
    "instrument": "violin|piano|cello|drums|ukulele|clarinet",
    "sport": "climbing|swimming|skiing|surfing|rowing|cycling|bouldering",
    "count": "four|seven|twelve|thirty|forty-five|eighty|fifteen",
    "field": "biology|architecture|law|statistics|nursing|history",
    "plants": "tomatoes and basil|roses|an apple tree|sunflowers|lavender|pumpkins",
    "language": "Spanish|Turkish|Mandarin|Polish|Arabic|Portuguese",
    "venue": "a small café|a dance studio|a bookshop|a bakery|a repair shop|a climbing gym",
    "project": "the new website|the search page|the annual report|the mobile app|the warehouse robot|the billing rewrite",
    "colour": "green|dark blue|yellow|purple|terracotta",
    "room": "kitchen|bathroom|hallway|nursery|cellar",
    "collect": "stamps|vinyl records|old maps|teapots|comic books",
    "club": "swimming|chess|basketball|debating|hockey",
    "animals": "deer|dolphins|a fox|wild horses|two owls|whales",
    "service": "music app|news site|cloud storage|meal box|language app",
    "database": "PostgreSQL|SQLite|MongoDB|MySQL",
    "material": "pallets|doors|bricks|wine crates",
}
ABOUT_ONESELF = 0.7
CHOICES = {slot: tuple(things.split("|")) for slot, things in THINGS.items()}
OPENERS = (
    "Hey {M}! ",
    "Thanks, {M}! ",
    "Oh, that's great to hear. ",
    "Long time no talk! ",
    "Yeah, I know what you mean. ",
    "Wow, {M}, that's amazing! ",
    "Good question. ",
    "Not bad, busy as ever. ",
    "So much has happened since we spoke. ",
    "Guess what? ",
    "Haha, true! ",
    "",
    "",
    "",
)
CLOSERS = (
    " How about you?",
    " It has been quite a ride.",
    " I am so happy about it.",
    " What's new with you?",
    " Have you ever done that?",
    " I'll tell you more when we meet.",
    " It means a lot to me.",
    " Anyway, how was your week?",
    "",
    "",
    "",
)
REPLIES = (
    "That's wonderful, {N}! Tell me more.",
    "Oh no, {N}, how are you feeling about it?",
    "Cool, {N}! How did that come about?",
    "Congrats, {N}! You earned it.",
    "I hear you, {N}. It's the same with me.",
    "Sounds like a plan, {N}!",
    "Nice one, {N}! I should do that too.",
)
REQUESTS = (
    "Can you help me plan a dinner for six people?",
    "I need some tips for staying focused in the afternoon.",
    "What should I pack for a long weekend?",
    "Could you recommend a few podcasts for my commute?",
    "I'm trying to organise my photos, any ideas?",
    "How do I get rid of a coffee stain?",
    "Can you suggest a workout that takes twenty minutes?",
    "I'd like to understand how mortgages work.",
    "What are good questions for a job interview?",
    "Could you draft a polite reminder to a client?",
    "How do I keep my basil alive?",
    "Which museums would you visit with children?",
    "I want to get better at public speaking, where do I start?",
    "Please explain how to read a balance sheet.",
    "Any advice on sleeping better?",
)
ASIDES = ("By the way, ", "Oh, and ", "Also, just so you know, ", "For context, ", "Speaking of which, ", "I should mention that ", "")


def rows(seed: int, *, count: int = 4000) -> dict[str, tuple[Row, ...]]:
    """The written corpora by name: talks between friends, messages to an assistant, know-how, and facts asked for in other words."""
    rng, templates = Random(seed), _read(SCENES)
    return {
        "scenes_chat": tuple(_chat(rng.choice(templates), templates, rng) for _ in range(count)),
        "scenes_user": tuple(_message(rng.choice(templates), rng) for _ in range(count)),
        "know_how": _know_how(rng),
        "other_words": in_other_words(),
    }


def in_other_words() -> tuple[Row, ...]:
    """Each cue of `pairs/` with the memory that it needs, and the near one that does not help; what one speaker says is one topic."""
    found = [row for path in sorted(PAIRS.glob("*.tsv")) for row in _read(path)]
    return tuple(Row(cue, (memory,), (near,), topic=speaker(memory) or "") for memory, near, *cues in found for cue in cues)


def _know_how(rng: Random) -> tuple[Row, ...]:
    pairs = _read(KNOW_HOW)
    return tuple(Row(cue, (memory,), tuple(rng.sample([other for _, other in pairs if other != memory], 5))) for cue, memory in pairs)


def _read(path: Path) -> list[tuple[str, ...]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return [tuple(row) for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]


def _chat(template: tuple[str, ...], templates: list[tuple[str, ...]], rng: Random) -> Row:
    name, friend, third = rng.sample(NAMES, 3)
    remark, *questions = _filled(template, third, rng)
    others = [_filled(rng.choice(templates), third, rng)[0] for _ in range(4)]
    texts = [f"{name}: {_chatty(text, friend, rng)}" for text in (remark, *(other for other in others if other != remark))]
    twin = f"{friend}: {_chatty(_filled(template, third, rng)[0], name, rng)}"
    reply = f"{friend}: " + rng.choice(REPLIES).format(N=name)
    return Row(rng.choice(questions).format(N=name), (texts[0],), (twin, reply, *texts[1:]))


def _message(template: tuple[str, ...], rng: Random) -> Row:
    remark, *questions = _filled(template, rng.choice(NAMES), rng)
    question = rng.choice(questions)
    about = first_person(question) if rng.random() < ABOUT_ONESELF else question.format(N="the user")
    return Row(about, (_asked(remark, rng),), tuple(" ".join(rng.sample(REQUESTS, size)) for size in (1, 1, 2, 3)), topic=template[0])


def _filled(template: tuple[str, ...], friend: str, rng: Random) -> tuple[str, ...]:
    slots = {slot for text in template for slot in SLOT.findall(text)} - {"N", "friend"}
    values = {slot: rng.choice(CHOICES[slot]) for slot in sorted(slots)} | {"friend": friend, "N": "{N}"}
    return tuple(text.format(**values) for text in template)


def _chatty(remark: str, friend: str, rng: Random) -> str:
    return rng.choice(OPENERS).format(M=friend) + remark + rng.choice(CLOSERS)


def _asked(remark: str, rng: Random) -> str:
    requests = rng.sample(REQUESTS, 2)
    aside = rng.choice(ASIDES)
    said = aside + (remark[0].lower() + remark[1:] if aside and not remark.startswith("I") else remark)
    return rng.choice((f"{requests[0]} {said}", f"{said} {requests[0]}", f"{requests[0]} {said} {requests[1]}", remark))


def first_person(question: str) -> str:
    """A question about {N} as one about oneself: "When did {N} move" becomes "When did I move"."""
    for third, first in (
        ("{N}'s", "my"),
        ("does {N}", "do I"),
        ("is {N}", "am I"),
        ("has {N}", "have I"),
        ("to {N}", "to me"),
        ("for {N}", "for me"),
        ("with {N}", "with me"),
        ("{N}", "I"),
    ):
        question = question.replace(third, first)
        question = question.replace(third.capitalize(), first[:1].upper() + first[1:])
    return question
