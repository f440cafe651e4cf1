"""The handle of a conversation."""

import threading

import pytest

from cued.engine import decide
from cued.errors import InputError
from cued.handles.conversation import Conversation
from cued.model import Cue
from tests.building import NOW, evidence, memory, policy


class ScriptedRecall:
    """A recall that brings the ids it was told to bring, turn by turn, less those already present."""

    def __init__(self, *script):
        self.script, self.asked = list(script), []

    def __call__(self, cue, **options):
        self.asked.append((cue, {name: value for name, value in options.items() if name not in {"policy", "settle"}}))
        chosen = self.script[(len(self.asked) - 1) % len(self.script)]
        rows = [memory(name) for name in chosen if name not in options.get("present", ())]
        return decide(evidence(rows, cosine=[0.9] * len(rows)), policy())


def chosen(recall):
    return [r.memory.id for r in recall.memories]


@pytest.mark.requirement("F8")
def test_a_cue_that_stays_while_things_happen_is_called_stale():
    conversation = Conversation(ScriptedRecall("a", "b", "c", "d"))
    said = []
    for step in ("opened the file", "ran the tests", "fixed the parser", "ran them again"):
        said.append(conversation.recall("why does the build fail", goal="green build").drift)
        conversation.heard(step)
    assert [bool(each) for each in said] == [False, False, True, True]
    assert "4 turns" in said[-1]
    assert conversation.recall("why does the parser fail", goal="green build").drift == ""


@pytest.mark.requirement("F8")
def test_the_same_cue_is_not_stale_while_nothing_happens():
    conversation = Conversation(ScriptedRecall("a"))
    assert [conversation.recall("what is the wifi called").drift for _ in range(5)] == [""] * 5


@pytest.mark.requirement("F8")
def test_the_same_memories_for_changing_cues_are_noticed():
    conversation = Conversation(ScriptedRecall("ab", "ba"), turns=2)
    assert conversation.recall("first").drift == ""
    assert conversation.recall("second").drift.startswith("the same memories (2) for 2 turns")


@pytest.mark.requirement("F8", "F1")
@pytest.mark.parametrize(
    ("moves", "drifts"),
    [
        ([{"goal": "g"}, {"goal": "h"}], False),
        ([{"step": "one"}, {"step": "two"}], False),
        ([{"open_questions": ["who"]}, {"open_questions": ["who", "when"]}], False),
        ([{"open_questions": "who"}, {"open_questions": ("who",)}], True),
        ([{"scope": "p", "limit": 3}, {"scope": "q", "limit": 4}], True),
    ],
)
def test_the_cue_is_utterance_goal_step_and_open_questions(moves, drifts):
    conversation = Conversation(ScriptedRecall("a", "b"), turns=2)
    conversation.recall("same words", **moves[0])
    conversation.heard("something")
    assert bool(conversation.recall("same words", **moves[1]).drift) is drifts


@pytest.mark.requirement("F8", "F1")
def test_a_cue_given_whole_is_the_same_cue_as_one_given_in_parts():
    conversation = Conversation(ScriptedRecall("a", "b", "c"), turns=3)
    whole = Cue(utterance="u", goal="g", step="s", open_questions=("q",), now=NOW)
    conversation.recall(whole)
    conversation.heard("one")
    conversation.recall("u", goal="g", step="s", open_questions=["q"])
    conversation.heard("two")
    assert conversation.recall(Cue(utterance="u", goal="other", step="s", open_questions=("q",), now=NOW), goal="g").drift != ""


def test_options_are_handed_on_untouched():
    scripted = ScriptedRecall("a")
    Conversation(scripted).recall("words", scope="p", limit=3, present=("z",))
    assert scripted.asked == [("words", {"scope": "p", "limit": 3, "present": ("z",)})]


def test_memories_still_in_the_prompt_are_not_brought_again_when_repeats_are_avoided():
    conversation = Conversation(ScriptedRecall("abc"), keep=2, avoid_repeats=True)
    assert [chosen(conversation.recall("words")) for _ in range(4)] == [["a", "b", "c"], [], [], ["a", "b", "c"]]


@pytest.mark.parametrize("named", ["x", ["x"], None])
def test_what_the_caller_knows_to_be_present_stays_present(named):
    scripted = ScriptedRecall("ab")
    conversation = Conversation(scripted, avoid_repeats=True)
    conversation.recall("words")
    conversation.recall(Cue(utterance="words", now=NOW, present=("y",)), present=named)
    assert scripted.asked[-1][1]["present"] == ("y" if named is None else "x", "a", "b")


def test_repeats_come_again_unless_told_otherwise():
    scripted = ScriptedRecall("a")
    conversation = Conversation(scripted)
    assert [chosen(conversation.recall("words")) for _ in range(2)] == [["a"], ["a"]]
    assert scripted.asked[-1][1] == {}


def test_it_remembers_a_hundred_turns_and_no_text():
    conversation = Conversation(ScriptedRecall("a"))
    for i in range(300):
        conversation.heard(f"secret {i}")
        conversation.recall(f"secret cue {i}")
    assert len(conversation._history) == 100  # noqa: SLF001 - what it holds on to is the point
    assert "secret" not in repr(vars(conversation))


def test_any_string_may_be_heard_and_asked():
    conversation = Conversation(ScriptedRecall("a"))
    conversation.heard("\ud800\0")
    assert chosen(conversation.recall("\udfff", goal="\0")) == ["a"]


def test_threads_may_share_it():
    conversation = Conversation(ScriptedRecall("a"), avoid_repeats=True)

    def talk(name):
        for i in range(50):
            conversation.heard(f"{name} {i}")
            conversation.recall(f"{name} {i}")

    threads = [threading.Thread(target=talk, args=(name,)) for name in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(conversation._history) == 100  # noqa: SLF001 - what it holds on to is the point


@pytest.mark.parametrize(("field", "value"), [("turns", 1), ("turns", True), ("keep", 0), ("keep", "many"), ("turns", 101)])
def test_odd_lengths_are_refused(field, value):
    with pytest.raises(InputError, match=f"^{field}: "):
        Conversation(ScriptedRecall("a"), **{field: value})
