"""drift: whether a conversation's recalls have stopped following it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cued.flow.drift import Turn, digest, drift

digests = st.sampled_from(["1", "2", "3"])
turns_of = st.builds(Turn, cue=digests, state=digests, chosen=st.lists(st.sampled_from("abc"), max_size=2, unique=True).map(tuple))


def history(*turns):
    """Turns written as "cue state chosen", such as "x 1 ab"."""
    return [Turn(cue=cue, state=state, chosen=tuple(chosen)) for cue, state, *rest in map(str.split, turns) for chosen in ["".join(rest)]]


@pytest.mark.requirement("F8")
def test_the_same_cue_for_three_turns_of_a_conversation_that_moves_on_is_drift():
    turns = history("x 1 ab", "x 2 ab", "x 3 cd")
    assert drift(turns[:2]) == ""
    assert drift(turns) == (
        "the same cue for 3 turns while the conversation moved on: build it anew from the current goal, step and open questions"
    )
    assert drift([*turns, *history("x 4 ef")]).startswith("the same cue for 4 turns")


@pytest.mark.requirement("F8")
def test_the_same_memories_for_three_changing_cues_is_drift():
    turns = history("x 1 ab", "y 2 ba", "z 2 ab")
    assert drift(turns) == "the same memories (2) for 3 turns of changing cues: make the cue say what is new"


@pytest.mark.requirement("F8")
@pytest.mark.parametrize(
    "turns",
    [
        ("x 1 ab", "y 2 ab", "x 3 cd"),
        ("x 1 ab", "x 1 ab", "x 1 ab", "x 1 ab"),
        ("x 1 ab", "x 2 ab", "y 3 ab"),
        ("x 1", "y 2", "z 3"),
        ("x 1 ab", "x 2 ab", "y 3 cd", "x 4 ab"),
    ],
    ids=["other memories", "asked again with nothing heard", "half and half", "nothing recalled", "interrupted"],
)
def test_what_is_not_drift(turns):
    assert drift(history(*turns)) == ""


@pytest.mark.requirement("F8")
def test_a_new_cue_ends_the_drift():
    assert drift(history("x 1 ab", "x 2 ab", "x 3 ab")) != ""
    assert drift(history("x 1 ab", "x 2 ab", "x 3 ab", "y 3 ab")) == ""


@given(st.lists(turns_of, max_size=12), st.integers(2, 5))
def test_asking_again_is_no_turn(turns, least):
    assert drift([turn for turn in turns for _ in range(3)], turns=least) == drift(turns, turns=least)


@given(st.lists(turns_of, max_size=12), st.integers(2, 5))
def test_patience_only_removes_drift(turns, least):
    assert drift(turns, turns=least + 1) == "" or drift(turns, turns=least) != ""
    assert len(turns) >= least or drift(turns, turns=least) == ""


@given(st.lists(st.text(st.characters()), max_size=3), st.lists(st.text(st.characters()), max_size=3))
def test_digests_are_equal_exactly_where_the_parts_are(one, other):
    assert (digest(*one) == digest(*other)) is (one == other)
