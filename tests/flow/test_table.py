"""The table's own columns: what candidates say of themselves, who speaks, and who follows whom in a session."""

from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace

from cued.engine import decide
from cued.flow.table import Table
from cued.model import Source, Traits, Use
from tests.building import ago, comparable, evidence, memory, policy

PLACES = some.lists(some.tuples(some.sampled_from(["one", "two", None]), some.one_of(some.none(), some.integers(-3, 6))), max_size=12)


def laid_out(sources):
    return Table(evidence([memory(f"m{row:02}", source=source) for row, source in enumerate(sources)]), policy())


@given(PLACES, some.integers(1, 2))
def test_turns_so_far_apart_are_those_that_a_look_at_each_pair_finds(places, step):
    table = laid_out([Source(session=session, turn=turn) for session, turn in places])
    # Of several memories of one turn the last stands for it.
    last = {place: row for row, place in enumerate(places) if None not in place}
    pairs = {(row, last[session, turn + step]) for (session, turn), row in last.items() if (session, turn + step) in last}
    assert sorted(zip(*(rows.tolist() for rows in table.turns_apart(step)), strict=True)) == sorted(pairs)


def test_a_turn_too_large_to_be_told_from_the_next_one_is_next_to_none():
    table = laid_out([Source(session="s", turn=turn) for turn in (2**53, 2**53 + 1, 2**62, 2**62 + 1, 2**62 + 2)])
    assert [rows.tolist() for step in (1, 2) for rows in table.turns_apart(step)] == [[], [], [], []]


def test_who_speaks_is_told_of_turns_and_of_notes_but_notes_are_spoken_by_nobody():
    turns = [Source(session="s", speaker=speaker) for speaker in ("Ada", "", "Bo")]
    table = laid_out([*turns, Source(speaker="Ada"), Source()])
    assert set(table.speakers) == {"Ada", "Bo"}
    assert table.spoken_by("Ada").tolist() == [True, False, False, False, False]
    assert table.notes.tolist() == [0.0, 1.0, 0.0, 1.0, 1.0]


def test_what_was_used_is_told_with_its_use():
    used = Use(count=2.0, last_at=ago(days=1))
    table = Table(evidence([memory("a"), memory("b", use=used), memory("c", use=Use())]), policy())
    assert table.used == [(1, used)]


@given(PLACES, some.randoms())
def test_traits_at_hand_decide_what_those_that_are_worked_out_decide_in_whatever_order_they_come(places, chance):
    memories = [
        memory(f"m{row:02}", source=Source(session=session, turn=turn, speaker="Ada" if row % 3 else None), created=ago(days=row))
        for row, (session, turn) in enumerate(places)
    ]
    chance.shuffle(memories)
    seen = evidence(memories, cosine=[0.1 * (row % 7) for row in range(len(memories))], coverage=[row % 2 for row in range(len(memories))])
    codes = {word: number for number, word in enumerate(["Bo", "two", "Ada", "one"])}
    traits = Traits.of(seen.findings.memories, Traits(seen.findings.memories, codes).rows)
    at_hand = replace(seen, findings=replace(seen.findings, traits=traits))
    assert comparable(decide(at_hand, policy())) == comparable(decide(seen, policy()))


def test_traits_of_other_memories_are_not_taken():
    seen = evidence([memory("a"), memory("b", source=Source(session="s", turn=1))], cosine=[0.1, 0.2])
    other = replace(seen.findings, traits=Traits((memory("x"), memory("y"))))
    assert Table(replace(seen, findings=other), policy()).notes.tolist() == [1.0, 0.0]
