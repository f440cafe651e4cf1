"""Stores to fit relevance on, made of the training pairs: `python -m training.stores OUT`.

Each corpus becomes a folder that `cued eval` reads, with tenants of 6 to some hundred memories; `mixed` has tenants of up to
10,000 memories of all kinds, `other_words` has as large ones of facts that are asked for in other words, as notes and as turns, and
`times` asks by when something was said. A tenant is asked questions that it can answer, questions whose answer was taken out while its
neighbours stayed or that name somebody else (category `near`), and questions of another document or another corpus (category `far`).
Nothing of it is part of the repository.
"""

import argparse
import gzip
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from cued.text.times import loose, times
from training import genres
from training.corpora import CORPORA, Row, folder, read_lines, split
from training.scenes import in_other_words
from training.scenes import rows as written_rows

SEED = 10
Sizes = tuple[tuple[int, int], ...]
TENANTS: Sizes = ((6, 10), (15, 10), (40, 6), (120, 3), (400, 1))
"""How large tenants are, and how many of each size a corpus has; the last one has the whole pool of texts."""
MIXED = ((10, 12), (30, 10), (100, 8), (300, 6), (1000, 6), (2500, 4), (6000, 3), (10000, 1))
OTHER_WORDS: Sizes = ((5, 16), (10, 16), (30, 10), (100, 10), (300, 8), (1000, 8), (3000, 4), (10000, 4))
LARGE_TENANTS: Sizes = (*TENANTS, (1200, 1))
POOL, LARGE_POOL = 450, 1300
LONG = 260
LEAST_ROWS, LEAST_HELD_OUT = 30, 40
OWN, NEAR, FAR = 12, 5, 5
SPOKEN = 0.7
"""The share of tenants whose texts of the form "Name: words" are stored with a speaker."""
PROBES = Path(__file__).parent / "probes"
WHENS = "yesterday|last week|last month|two weeks ago|three days ago|in {month}|on {day}|last {weekday}|this week|in {month} this year"
ABOUT_THEN = ("What happened {when}?", "What did I do {when}?", "Anything from {when}?", "What did I tell you {when}?", "{when}?")
NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]{2,}\b")
BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
ASKED = datetime(2026, 10, 1, tzinfo=UTC)
SPEAKER = re.compile(r"^([A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,2}): (?=\S)")
# Their questions stand without the place that they are about, so that the same question has other answers for other places.
ONE_ROW = frozenset({"dstc9_faq", "dstc11_reviews"})
# Their cues are no questions about what is remembered, or their labels are too loose for a calibration.
UNUSED = frozenset("kpa_keypoint_argument mnli_entail fever_symmetric_update request_same_as_before wow_plus_plus irc_reply_links".split())
# Their questions name what they are about, so that one about another document is foreign here.
DOCUMENTS = frozenset(
    "squad_sentence_nqg qed_nq_sentence clapnq_dev multihop_hotpot_2wiki_musique boolq_passage timeqa_human tweetqa "
    "ar_arcd pt_faquad zh_cmrc2018 zh_tw_drcd ja_jaquad friendsqa facts_zh facts_ja facts_de facts_es facts_fr facts_ru "
    "reports_commit_subject_body".split()
)
LANGUAGES = {"ar_arcd": "ar", "pt_faquad": "pt", "zh_kdconv": "zh", "zh_cmrc2018": "zh", "zh_tw_drcd": "zh", "ja_jaquad": "ja"}
CHIT_CHAT = (
    "Good morning! How are you today?", "Thanks, that was helpful.", "Tell me a joke.", "What's 17 times 24?", "ok great",
    "Can you translate 'good night' into Italian?", "Who won the world cup in 1998?", "Write a haiku about rain.", "How do I boil an egg?",
    "What is the capital of Australia?", "Explain recursion to a child.", "Let's start over.", "Sounds good, go ahead.", "lol",
    "How far away is the moon?", "Please make that shorter.", "What does 'ephemeral' mean?", "Convert 10 miles to kilometres.",
    "Why is the sky blue?", "Give me a synonym for happy.", "How many legs does a spider have?", "Is a tomato a fruit?",
    "Sort this list for me.", "What should I cook tonight?", "Check the spelling of this sentence.", "See you tomorrow!",
)  # fmt: skip


Asked = tuple[str, str, Sequence[str]]
"""A question as it is written: its category, the cue, and the texts that answer it."""


@dataclass
class Corpus:
    """A corpus as material for stores: its rows, and the language that it is in."""

    name: str
    language: str
    rows: list[Row]
    texts: list[str] = field(default_factory=list)


def corpora(rng: Random) -> list[Corpus]:
    """The corpora, each cut to the rows whose texts fill its pool; of those that the encoder has seen, rows that were held out."""
    trained = {corpus.name for corpus in CORPORA if corpus.share > 0}
    written = {name: rows for name, rows in written_rows(SEED, count=400).items() if name != "other_words"}
    found = [Corpus(name, "en", list(rows)) for name, rows in (*written.items(), *_probes())]
    for path in sorted([*folder().glob("*.jsonl.gz"), *folder().glob("more/*.jsonl.gz")]):
        name = path.name.removesuffix(".jsonl.gz")
        if name in UNUSED:
            continue
        whose: dict[str, list[Row]] = {}
        for pair in read_lines(path):
            others = tuple(text for text in pair.get("neg", ()) if text.strip() and text not in pair["pos"])
            language = str(pair.get("lang") or LANGUAGES.get(name, "en")).partition("-")[0]
            whose.setdefault(language, []).append(Row(pair["q"], tuple(pair["pos"]), others))
        for language, rows in whose.items():
            kept = list(split(tuple(rows))[1]) if name in trained and name not in ONE_ROW else rows
            found.append(Corpus(name if len(whose) == 1 else f"{name}_{language}", language, kept if len(kept) > LEAST_HELD_OUT else rows))
    return [_filled(corpus, rng) for corpus in found if len(corpus.rows) >= LEAST_ROWS]


def _probes() -> Iterator[tuple[str, tuple[Row, ...]]]:
    """Our own pairs that the encoder was measured on and has not seen."""
    for path in sorted(PROBES.glob("*.tsv")):
        pairs = [line.split("\t") for line in path.read_text("utf-8").splitlines()[1:]]
        if all(len(pair) == len(("cue", "memory")) for pair in pairs):
            texts = [memory for _, memory in pairs]
            yield (
                f"probe_{path.stem}",
                tuple(
                    Row(cue, (memory,), tuple(texts[(place + step) % len(texts)] for step in (1, 2, 3)))
                    for place, (cue, memory) in enumerate(pairs)
                ),
            )


def _filled(corpus: Corpus, rng: Random, *, pool: int = POOL) -> Corpus:
    """The corpus with as many of its rows as fill the pool; long texts fill it sooner."""
    rng.shuffle(corpus.rows)
    usual = sum(len(row.answers[0]) for row in corpus.rows[:200]) / min(200, len(corpus.rows))
    texts: dict[str, None] = {}
    for taken, row in enumerate(corpus.rows, 1):
        texts |= dict.fromkeys((*row.answers[:4], *row.others[:6]))
        if len(texts) >= (pool if usual < LONG else pool // 2):
            corpus.rows = corpus.rows[:taken]
            break
    corpus.texts = list(texts)
    return corpus


class Folder:
    """One data set as it is written: memories and queries, tenant by tenant."""

    def __init__(self, rng: Random) -> None:
        """Start empty."""
        self.memories: list[dict[str, object]] = []
        self.queries: list[dict[str, object]] = []
        self._rng, self._tenants = rng, 0

    def add(self, texts: Iterable[str], asked: Sequence[Asked], said: dict[str, datetime] | None = None, *, as_turns: bool = False) -> None:
        """Add a tenant with these texts in any order, said then where that matters, and its questions.

        The texts are notes, or each is the only turn of its session.
        """
        self._tenants += 1
        tenant, ordered = f"t{self._tenants}", list(dict.fromkeys(texts))
        self._rng.shuffle(ordered)
        ids = {text: f"{tenant}/{place}" for place, text in enumerate(ordered)}
        named = self._rng.random() < SPOKEN
        for place, (text, memory_id) in enumerate(ids.items()):
            voice = SPEAKER.match(text) if named else None
            at = said[text] if said else BEGUN + timedelta(hours=6 * place % 6000, minutes=self._rng.randrange(300))
            line = {"id": memory_id, "tenant": tenant, "text": text[voice.end() :] if voice else text, "ts": at.isoformat()}
            turn = {"session": f"s{place}", "turn": 0, "speaker": "user"} if as_turns else {}
            self.memories.append({**line, **turn, "speaker": voice[1]} if voice else {**line, **turn})
        for place, (category, cue, answers) in enumerate(asked):
            line = {"id": f"{tenant}/q{place}", "tenant": tenant, "query": cue, "asked_at": ASKED.isoformat(), "category": category}
            self.queries.append({**line, "gold_ids": [ids[text] for text in answers if text in ids]})

    def write(self, where: Path) -> None:
        """Write both files."""
        where.mkdir(parents=True, exist_ok=True)
        for name, lines in (("memories", self.memories), ("queries", self.queries)):
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (where / f"{name}.jsonl.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


class Builder:
    """Makes a corpus's folder; `strangers` are rows of other corpora in the same language."""

    def __init__(self, corpus: Corpus, strangers: Sequence[Row], rng: Random, *, tenants: Sizes = TENANTS) -> None:
        """Start with an empty folder."""
        self.made = Folder(rng)
        self._corpus, self._strangers, self._rng, self._tenants = corpus, strangers, rng, tenants

    def stores(self) -> Folder:
        """The folder with tenants of every size."""
        corpus, rng = self._corpus, self._rng
        for size, count in self._tenants:
            if corpus.name in ONE_ROW:
                for row in rng.sample(corpus.rows, min(3 * count, len(corpus.rows))):
                    self._tenant([row], size)
                continue
            for _ in range(count if len(corpus.texts) > size / 2 else 0):
                self._tenant(rng.sample(corpus.rows, len(corpus.rows)), size)
        return self.made

    def _tenant(self, rows: Sequence[Row], size: int) -> None:
        """Add one tenant: rows until it is full, every fourth of them without its answers."""
        texts: dict[str, None] = {}
        inside: list[Row] = []
        gone: list[Row] = []
        wide = self._rng.choice((1, 3, 6))
        for place, row in enumerate(rows):
            taken_out = place % 4 == 1 and len(row.others) > 1
            (gone if taken_out else inside).append(row)
            texts |= dict.fromkeys((() if taken_out else row.answers[:4]) + row.others[:wide])
            if len(texts) >= size:
                break
        removed = {text for row in gone for text in row.answers}
        held = [text for text in texts if text not in removed][:size]
        outside = rows[len(inside) + len(gone) :]
        asked = self._asked([row for row in inside if set(held) & set(row.answers)], gone, outside, set(held))
        if held and asked[0][0] == "own":
            self.made.add(held, asked)

    def _asked(self, own: Sequence[Row], gone: Sequence[Row], outside: Sequence[Row], held: set[str]) -> list[Asked]:
        rng, strangers = self._rng, self._strangers
        foreign_here = [row for row in outside if held.isdisjoint((*row.answers, *row.others))]
        far = foreign_here if self._corpus.name in DOCUMENTS else []
        foreign = (*far[:FAR], *rng.sample(strangers, min(2 * FAR - len(far[:FAR]), len(strangers))))
        chosen = rng.sample(own, min(OWN, len(own)))
        asked: list[Asked] = [("own", row.cue, row.answers) for row in chosen]
        asked += [("near", row.cue, ()) for row in gone[:NEAR] if held & set(row.others)]
        asked += [("near", cue, ()) for cue in list(_of_others(chosen, held, rng))[:NEAR]]
        if self._corpus.name == "requests":
            # A leaning of another topic may bear on a request as well: what to be silent to is not told by topics.
            asked += [("near", row.cue, ()) for row in foreign_here[:NEAR]]
        return asked + [("far", row.cue, ()) for row in foreign]


def _of_others(rows: Sequence[Row], held: Iterable[str], rng: Random) -> Iterator[str]:
    """The rows' cues with a name in them exchanged for somebody else of the same tenant: what is asked was not said of them."""
    speakers = {said[1].split()[0] for text in held if (said := SPEAKER.match(text))}
    names = sorted(speakers | {name for row in rows for name in NAME.findall(row.cue)})
    for row in rows:
        here = [name for name in names if re.search(rf"\b{name}\b", row.cue)]
        others = [name for name in names if name not in here and not any(name in text for text in row.answers)]
        if here and others:
            yield re.sub(rf"\b{here[0]}\b", rng.choice(others), row.cue)


def made_up(rng: Random) -> Iterator[tuple[str, str, list[Row]]]:
    """The corpora that are made of others or by rule, with their languages."""
    yield from ((name, "en", rows) for name, rows in genres.reports(rng))
    yield from genres.facts(rng)


def by_time(rows: Sequence[Row], rng: Random) -> Folder:
    """Tenants whose questions say when: nothing but a time, or a question with the time of its answer."""
    made = Folder(rng)
    for size in (20, 40, 80, 160):
        for _ in range(6):
            texts = list(dict.fromkeys(row.answers[0] for row in rng.sample(rows, min(size, len(rows)))))
            ages = {text: timedelta(days=rng.choice((3, 30, 250)) * rng.random(), hours=1) for text in texts}
            said = {text: ASKED - age for text, age in ages.items()}
            foreign: list[Asked] = [("far", cue, ()) for cue in CHIT_CHAT[:FAR]]
            made.add(texts, [*_timed_questions(rows, said, rng), *foreign], said)
    return made


def _timed_questions(rows: Sequence[Row], said: dict[str, datetime], rng: Random) -> Iterator[Asked]:
    for text in rng.sample(sorted(said), min(14, len(said))):
        then = said[text]
        fill = {"month": then.strftime("%B"), "day": then.strftime("%-d %B"), "weekday": then.strftime("%A")}
        for when in rng.sample(WHENS.split("|"), len(WHENS.split("|"))):
            cue = rng.choice(ABOUT_THEN).format(when=when.format(**fill))
            spans = [loose(mention) for mention in times(cue, now=ASKED)]
            inside = [each for each, at in said.items() if any(span.start <= at < span.end for span in spans)]
            if text in inside and len(inside) <= NEAR:
                yield "own", cue, inside
                asked = next(row.cue for row in rows if row.answers[0] == text)
                yield "own", f"{asked.rstrip('?')} {when.format(**fill)}?", [text]
                break


def mixed(all_of: Sequence[Corpus], rng: Random) -> Folder:
    """Tenants of texts of all kinds, small to large; a question's own corpus is there, a far one's is not."""
    made = Folder(rng)
    for size, count in MIXED:
        for _ in range(count):
            chosen = rng.sample(all_of, 2 * len(all_of) // 3)
            others = [corpus for corpus in all_of if corpus not in chosen]
            rows = [row for corpus in chosen for row in corpus.rows]
            rng.shuffle(rows)
            held = list(dict.fromkeys(text for row in rows for text in (*row.answers[:4], *row.others[:4])))[:size]
            kept = set(held)
            own = [row for row in rows if kept >= set(row.answers[:4])][:40]
            far = [rng.choice(rng.choice(others).rows).cue for _ in range(30)] + rng.sample(CHIT_CHAT, 10)
            made.add(held, [("own", row.cue, row.answers) for row in own] + [("far", cue, ()) for cue in far])
    return made


class Rewording:
    """Makes stores of facts that are asked for in other words, among more of them, technical notes or other people's texts."""

    def __init__(self, others: Sequence[Corpus], rng: Random) -> None:
        """Read the facts; only those are asked for that the encoder has not seen."""
        rows = in_other_words()
        trained = any(corpus.name == "other_words" and corpus.share > 0 for corpus in CORPORA)
        self._asked: dict[str, list[Row]] = {}
        for row in split(rows)[1] if trained else rows:
            self._asked.setdefault(row.answers[0], []).append(row)
        self._alike = list(dict.fromkeys(text for row in rows for text in (*row.answers, *row.others) if text not in self._asked))
        self._around = [list(genres.technical()), [text for corpus in others for text in corpus.texts]]
        self._strangers, self._rng = [row.cue for corpus in others for row in corpus.rows[:20]], rng

    def stores(self) -> Folder:
        """The folder with tenants of every size; every other one among technical notes, every other two as turns."""
        made = Folder(self._rng)
        for size, count in OTHER_WORDS:
            for place in range(count):
                held, asked = self._tenant(size, self._around[place % 2])
                made.add(held, asked, as_turns=place % 4 > 1)
        return made

    def _tenant(self, size: int, around: Sequence[str]) -> tuple[list[str], list[Asked]]:
        """A tenant's texts and questions: facts, facts beside one that was taken out, and what fills it up."""
        rng, facts = self._rng, list(self._asked)
        own, near = min(OWN, max(2, size // 3)), min(NEAR, max(1, size // 6))
        chosen = rng.sample(facts, min(own + near + FAR, len(facts)))
        kept, gone, far = chosen[:own], chosen[own : own + near], chosen[own + near :]
        beside = [self._asked[fact][0].others[0] for fact in (*gone, *rng.sample(kept, own // 2))]
        away = {text for fact in (*gone, *far) for text in (fact, *self._asked[fact][0].others)} - set(beside)
        alike = rng.sample(self._alike, min(size // 2, len(self._alike)))
        filling = [text for text in (*alike, *rng.sample(around, min(size, len(around)))) if text not in away]
        asked: list[Asked] = [("own", row.cue, row.answers) for fact in kept for row in self._asked[fact]]
        asked += [("near", row.cue, ()) for fact in gone for row in self._asked[fact][:1]]
        # Only what is asked for is foreign elsewhere: a request may be borne on by what another memory tells.
        asked += [("far", self._asked[fact][0].cue, ()) for fact in far]
        strangers = (*rng.sample(self._strangers, FAR), *rng.sample(CHIT_CHAT, FAR))
        return list(dict.fromkeys((*kept, *beside, *filling)))[:size], asked + [("far", cue, ()) for cue in strangers]


def main() -> None:
    """Write every folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    rng = Random(SEED)
    everything = corpora(rng)
    chat = [Row(cue, (), ()) for cue in CHIT_CHAT]
    for corpus in everything:
        group = [other for other in everything if other.language == corpus.language and other.name != corpus.name]
        strangers = [row for other in group or everything for row in other.rows[:20]] + (chat if corpus.language == "en" else [])
        Builder(corpus, strangers, rng).stores().write(out / corpus.name)
    rows, leanings = genres.requests()
    Builder(Corpus("requests", "en", rows, leanings), [*chat, *everything[0].rows[:20]], Random(SEED)).stores().write(out / "requests")
    for name, language, rows in made_up(Random(SEED)):
        corpus = _filled(Corpus(name, language, rows), Random(SEED), pool=LARGE_POOL)
        group = [other for other in everything if other.language == language]
        strangers = [row for other in group for row in other.rows[:20]]
        Builder(corpus, strangers, Random(SEED), tenants=LARGE_TENANTS).stores().write(out / name)
    scenes = next(corpus for corpus in everything if corpus.name == "scenes_user")
    by_time(scenes.rows, rng).write(out / "times")
    mixed([corpus for corpus in everything if corpus.language == "en" and corpus.name not in ONE_ROW], rng).write(out / "mixed")
    people = [corpus for corpus in everything if corpus.language == "en" and corpus.name not in genres.TECHNICAL]
    Rewording(people, Random(SEED)).stores().write(out / "other_words")


if __name__ == "__main__":
    main()
