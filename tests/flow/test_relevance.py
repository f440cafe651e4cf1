"""relevance: a probability from absolute evidence."""

import math
from datetime import timedelta

import numpy as np
import pytest
from msgspec.structs import replace

from cued.engine import decide
from cued.errors import InputError
from cued.flow.cue import spoken_times
from cued.model import Background, Cue, Interval, Source, TermStatistic
from cued.policy.calibration import calibration_for, calibrations
from cued.policy.presets import preset
from cued.text.analyse import query_terms
from tests.building import NOW, evidence, memory, policy


def relevance(**columns):
    """The relevance of one candidate under the default policy."""
    return float(decide(evidence([memory("a")], **columns), preset("cued")).trace.columns["relevance"][0])


OURS = "cued/recall-minilm-l6@x/384"


def above(deviations, name="cued"):
    """The cosine so many deviations above what an unrelated one usually is with a calibration's embedder."""
    of = calibrations()[name]
    return of.background_mean + deviations * of.background_deviation


@pytest.mark.requirement("X1")
@pytest.mark.parametrize(("name", "fingerprint"), [("cued", OURS), ("generic", "test/e@1/2"), ("lexical", None)])
def test_it_is_the_logistic_function_of_columns_whose_contributions_add_up(name, fingerprint):
    found = evidence([memory("a")], cosine=[0.5 if fingerprint else math.nan], coverage=[0.6], entities=[0.5], fingerprint=fingerprint)
    columns = decide(found, preset("cued")).trace.columns
    chosen = calibrations()[name]
    odds = chosen.intercept + sum(weight * np.nan_to_num(columns[column][0]) for column, weight in chosen.weights.items())
    assert columns["log_odds"][0] == pytest.approx(odds)
    assert columns["relevance"][0] == pytest.approx(1 / (1 + math.exp(-odds)))


@pytest.mark.parametrize("rows", [1, 2, 3, 50])
def test_columns_are_added_up_one_after_the_other_for_one_candidate_as_for_many(rows):
    chance = np.random.default_rng(rows)
    named = ("cosine", "coverage", "bm25", "length", "entities", "cosine_before", "coverage_after")
    found = evidence([memory(f"m{row:02}") for row in range(rows)], **{name: chance.random(rows) for name in named})
    columns, chosen = decide(found, preset("cued")).trace.columns, calibrations()["generic"]
    odds = [chosen.intercept] * rows
    for name, weight in chosen.weights.items():
        odds = [sum_so_far + weight * value for sum_so_far, value in zip(odds, np.nan_to_num(columns[name]).tolist(), strict=True)]
    assert columns["log_odds"].tolist() == odds


@pytest.mark.parametrize("weights", [{}, {"mine": 2.0}])
def test_a_calibration_may_weigh_nothing_but_what_no_candidate_has(weights):
    weighing = replace(calibrations()["generic"], weights=weights, intercept=0.5)
    usual = preset("cued")
    columns = decide(evidence([memory("a")]), replace(usual, relevance=replace(usual.relevance, coefficients=weighing))).trace.columns
    assert columns["log_odds"].tolist() == [0.5]


def test_z_is_the_distance_from_the_cues_own_background_shrunk_towards_the_usual_one():
    generic = calibrations()["generic"]
    found = evidence([memory("a")], cosine=[0.5], background=Background(count=80, mean=0.05, deviation=0.08))
    mean = (80 * 0.05 + generic.background_count * generic.background_mean) / (80 + generic.background_count)
    variance = (80 * 0.08**2 + generic.background_count * generic.background_deviation**2) / (80 + generic.background_count)
    assert decide(found, preset("cued")).trace.columns["z"][0] == pytest.approx((0.5 - mean) / math.sqrt(variance))


@pytest.mark.requirement("X1")
@pytest.mark.parametrize(
    ("cue", "text"), [("我的血型是什么？", "我的血型是O型。"), ("ما فصيلة دمي؟", "ما فصيلة دمي"), ("what?", "我住在绿洲家园。")]
)
def test_where_the_encoder_cannot_read_the_words_decide(cue, text):
    asked = Cue(utterance=cue, now=NOW)
    near = evidence([memory("a", text=text)], cue=asked, cosine=[0.9], fingerprint=OURS)
    columns = decide(near, preset("cued")).trace.columns
    assert columns["blind"][0] == 1.0
    assert columns["relevance"][0] < 0.5
    # an embedder of somebody else's may well know the script
    other = decide(evidence([memory("a", text=text)], cue=asked, cosine=[0.9]), preset("cued")).trace.columns
    assert other["blind"][0] == 0.0


def test_the_meaning_of_a_note_counts_once_and_a_turn_is_lifted_by_those_beside_it():
    found = evidence([memory("a"), *turns("b", "c")], cosine=[0.5, 0.2, 0.6], fingerprint=OURS)
    columns = decide(found, preset("cued")).trace.columns
    assert columns["lift"].tolist() == pytest.approx([0.0, 0.4, 0.0])
    assert columns["turn"].tolist() == [0.0, 1.0, 1.0]


def test_an_agents_reply_that_is_asked_for_counts_by_what_it_replied_to():
    told = [said("a", "user", "My shins hurt after long runs."), said("b", "assistant", "Cut them by a third for two weeks.")]
    asked = [Cue(utterance=words, now=NOW) for words in ("What did you say about my shins?", "What hurts?")]
    columns = [decide(evidence(told, cue=cue, cosine=[0.7, 0.2], fingerprint=OURS), preset("cued")).trace.columns for cue in asked]
    assert [column["replied"].tolist() for column in columns] == [pytest.approx([0.0, 0.5]), [0.0, 0.0]]


def test_a_cue_that_is_nothing_but_a_time_counts_the_window_in_full():
    inside = Interval(NOW - timedelta(days=2), NOW)
    shares = []
    for said in ("yesterday?", "Which tea did Marta order yesterday?"):
        terms = tuple(TermStatistic(term, 1, 1.0) for term in query_terms(said))
        found = evidence([memory("a")], cue=Cue(utterance=said, now=NOW), cosine=[0.1], window=[1.0])
        share = spoken_times(found.cue, "utterance").share
        found = replace(found, intervals=(inside,), time_share=share, findings=replace(found.findings, terms=terms))
        shares.append(decide(found, preset("cued")).trace.columns["timed"][0])
    assert shares[0] == 1.0
    assert 0.0 < shares[1] < 0.5


@pytest.mark.parametrize(("cue", "bears"), [("Can you recommend a place for dinner?", 1.0), ("Where did we have dinner?", 0.0)])
def test_a_stated_leaning_bears_on_a_request(cue, bears):
    told = [memory("a", text="I can't eat anything with nuts."), memory("b", text="The bus is blue.")]
    found = evidence(told, cue=Cue(utterance=cue, now=NOW), cosine=[0.4, 0.4])
    assert decide(found, preset("cued")).trace.columns["bears"].tolist() == [bears, 0.0]


def test_a_leaning_bears_on_a_request_the_less_the_less_they_have_to_do_with_each_other():
    told = [memory(name, text="I never drive at night.") for name in "abc"]
    found = evidence(
        told, cue=Cue(utterance="Suggest a film for tonight.", now=NOW), cosine=[above(each, "generic") for each in (0.1, 1.15, 2.5)]
    )
    # half way from 0.3 to 2 deviations
    assert decide(found, preset("cued")).trace.columns["bears"].tolist() == pytest.approx([0.0, 0.5, 1.0])


def test_a_leaning_bears_on_an_order_where_both_have_more_to_do_with_each_other():
    told = [memory(name, text="I never drive at night.") for name in "abc"]
    found = evidence(told, cue=Cue(utterance="Book us a trip.", now=NOW), cosine=[above(each, "generic") for each in (1.9, 2.8, 3.7)])
    # half way from 2 to 3.6 deviations
    assert decide(found, preset("cued")).trace.columns["bears"].tolist() == pytest.approx([0.0, 0.5, 1.0])


def test_a_leaning_bears_on_a_request_in_another_language_by_how_near_all_that_is_here_is_to_it():
    told = [memory("a", text="Jana mag keine Nüsse."), memory("b", text="Jana mag keine Nüsse."), memory("c", text="Der Bus ist blau.")]
    cue = Cue(utterance="Welchen Kuchen soll ich für Jana backen?", now=NOW)
    found = evidence(told, cue=cue, cosine=[above(each, "generic") for each in (4.0, 7.0, 7.0)])
    nearer = Background(count=1000, mean=above(4.0, "generic"), deviation=0.1)
    bears = decide(replace(found, findings=replace(found.findings, background=nearer)), preset("cued")).trace.columns["bears"]
    assert bears.tolist() == pytest.approx([0.0, 1.0, 0.0])


@pytest.mark.parametrize(
    ("cue", "bears"),
    [
        ("Suggest a Thai place for dinner.", [2.0, 2.0, 0.0]),
        ("Suggest a dinner for Hugo.", [2.0, 2.0, 0.0]),
        ("Suggest a film.", [0.0, 0.0, 0.0]),
        ("Where did we have dinner?", [0.0, 0.0, 0.0]),
    ],
)
def test_what_must_not_be_eaten_bears_on_every_meal_however_far_it_is(cue, bears):
    told = [
        memory("a", text="I'm allergic to peanuts."),
        memory("b", text="Hugo is coeliac.", entities=("hugo",)),
        memory("c", text="The bus is blue."),
    ]
    found = evidence(told, cue=Cue(utterance=cue, now=NOW), cosine=[0.0] * 3)
    assert decide(found, preset("cued")).trace.columns["bears"].tolist() == bears


def test_what_another_must_not_eat_does_not_bear_on_a_meal_for_somebody_who_is_known():
    told = [memory("a", text="Hugo is coeliac.", entities=("hugo",)), memory("b", text="Mira is vegan.", entities=("mira",))]
    found = evidence(told, cue=Cue(utterance="Suggest a dinner for Mira.", now=NOW), cosine=[0.0] * 2)
    found = replace(found, findings=replace(found.findings, terms=(TermStatistic("mira", 1, 1.0),)))
    assert decide(found, preset("cued")).trace.columns["bears"].tolist() == [0.0, 1.0]


def timed(utterance, window, *, visible):
    """The columns of time for a cue of which half, or all, is a time, in a store of so many memories."""
    found = evidence([memory(f"{place}") for place in range(len(window))], window=window, dense_rank=range(1, len(window) + 1))
    found = replace(found, cue=Cue(utterance=utterance, now=NOW), findings=replace(found.findings, visible=visible))
    said = spoken_times(found.cue, "utterance")
    columns = decide(replace(found, intervals=said.intervals, time_share=said.share), preset("cued")).trace.columns
    return columns["window"][0], columns["timed"][0]


def test_a_time_in_which_everything_lies_tells_nothing_unless_nothing_else_is_asked_for():
    assert timed("What shall we cook today?", [1.0] * 4, visible=4) == pytest.approx((0.0, 0.25 * 0.5))
    assert timed("What happened today?", [1.0] * 4, visible=4) == pytest.approx((0.0, 1.0))
    assert timed("What shall we cook today?", [1.0, 0.0, 0.0, 0.0], visible=4) == pytest.approx((0.75, 0.25 * (1 - 0.25 * 0.5)))


def test_of_many_memories_those_that_were_found_tell_how_usual_a_time_is():
    window, _ = timed("What shall we cook today?", [1.0] * 45 + [0.0] * 5, visible=1000)
    assert window == pytest.approx(1 - 45 / (50 + 5))


def test_a_greeting_asks_for_nothing_of_its_day():
    assert timed("How are you today?", [1.0] * 4, visible=4) == (0.0, 0.0)


def test_a_note_far_behind_the_nearest_is_held_back_and_a_turn_is_not():
    found = evidence([memory("a"), memory("b"), *turns("c")], cosine=[0.6, 0.2, 0.1], fingerprint=OURS)
    assert decide(found, preset("cued")).trace.columns["behind"].tolist() == pytest.approx([0.0, 0.4, 0.0])


def test_a_word_that_a_flood_has_made_common_still_counts_as_one():
    found = evidence([memory("a")], coverage=[1.0], lexical_rank=[1])
    common = tuple(TermStatistic(term, 200, 0.05) for term in ("staging", "deploy", "run"))
    columns = decide(replace(found, findings=replace(found.findings, terms=common)), preset("cued")).trace.columns
    assert columns["matched"][0] == pytest.approx(math.log1p(3 * 1.0))


@pytest.mark.parametrize("text", ["a", "I", "ok", "?!"])
def test_the_vector_of_a_letter_or_two_says_nothing(text):
    near = evidence([memory("a", text=text)], cue=Cue(utterance="hello", now=NOW), cosine=[0.7], fingerprint=OURS)
    columns = decide(near, preset("cued")).trace.columns
    assert columns["blind"][0] == 1.0
    assert columns["relevance"][0] < 0.1


def test_in_a_language_that_the_encoder_may_not_know_the_surer_of_words_and_meaning_counts():
    cue = Cue(utterance="Wann wurde das Rathaus von Bremen gebaut?", now=NOW)
    terms = tuple(TermStatistic(term, 1, 4.0) for term in ("rathaus", "bremen", "gebaut"))
    told = [memory("a", text="Das Rathaus von Bremen wurde 1405 gebaut."), memory("b", text="Der Dom steht daneben.")]
    found = evidence(told, cue=cue, cosine=[0.2, 0.2], coverage=[1.0, 0.0], bm25=[20.0, 0.0], fingerprint=OURS)
    found = replace(found, findings=replace(found.findings, terms=terms))
    columns = decide(found, preset("cued")).trace.columns
    assert columns["relevance"][0] > 0.7
    assert columns["relevance"][1] < 0.5


def test_words_of_the_state_do_not_count_as_unknown_words_of_the_cue():
    known, foreign = TermStatistic("tea", 1, 1.0), TermStatistic("rocket", 0, 3.0)
    found = evidence([memory("a")], cue=Cue(utterance="tea", goal="rocket", now=NOW), cosine=[0.4], coverage=[1.0])
    found = replace(found, findings=replace(found.findings, terms=(known, foreign)))
    assert decide(found, preset("cued")).trace.columns["unknown"][0] == 0.0
    bare = replace(found, cue=Cue(utterance="tea rocket", now=NOW))
    assert decide(bare, preset("cued")).trace.columns["unknown"][0] == 0.75


def test_a_pair_of_characters_that_only_joins_two_known_words_is_no_unknown_word():
    joined = columns_of("结构应力", [memory("a")], terms=[("结构", 7), ("构应", 0), ("应力", 2)])
    assert joined["unknown"][0] == 0.0
    # of a name that nobody here bears every pair is unknown, the one that leads on to a known word too
    named = columns_of("农业启动会", [memory("a")], terms=[("农业", 0), ("业启", 0), ("启动", 3), ("动会", 3)])
    assert named["unknown"][0] == pytest.approx(2 / 4)


@pytest.mark.requirement("X1")
def test_ranks_count_for_nothing():
    columns = {"cosine": [0.1], "coverage": [0.0]}
    assert relevance(**columns, lexical_rank=[1], dense_rank=[1]) == relevance(**columns, lexical_rank=[90], dense_rank=[90])


@pytest.mark.requirement("X1")
def test_the_same_cosine_means_less_against_a_high_background():
    quiet = relevance(cosine=[0.5], coverage=[0.1], length=[8.0], background=Background(count=1000, mean=0.05, deviation=0.08))
    loud = relevance(cosine=[0.5], coverage=[0.1], length=[8.0], background=Background(count=1000, mean=0.45, deviation=0.08))
    assert loud < quiet - 0.2


def test_a_single_memory_is_judged_against_the_embedders_usual_background():
    alone = relevance(cosine=[0.9], coverage=[1.0], background=Background(count=1, mean=0.9, deviation=0.0))
    assert alone > 0.5
    assert relevance(cosine=[0.05], coverage=[0.0], length=[8.0], background=Background(count=1, mean=0.05, deviation=0.0)) < 0.5


def test_without_vectors_the_words_decide():
    terms = tuple(TermStatistic(f"word{number}", 1, 1.0) for number in range(10))
    found = evidence([memory("a"), memory("b")], fingerprint=None, coverage=[1.0, 0.1], lexical_rank=[1, 2])
    found = replace(found, findings=replace(found.findings, terms=terms, visible=100))
    high, low = decide(found, preset("cued")).trace.columns["relevance"]
    assert high > 0.9
    assert low < 0.7


@pytest.mark.requirement("X1")
def test_the_same_evidence_is_worth_less_among_many_than_among_few():
    few, many = (decide(crowded(count), preset("cued")).trace.columns["relevance"][0] for count in (5, 50_000))
    assert few > 0.7
    assert many < few - 0.2


def crowded(visible):
    """One candidate with middling evidence in a store of so many."""
    found = evidence([memory("a")], cosine=[0.55], coverage=[0.4], fingerprint="cued/recall-minilm-l6@x/384")
    return replace(found, findings=replace(found.findings, visible=visible))


@pytest.mark.parametrize(("cue", "heard"), [("what did I say about tea?", False), ("which tea did you recommend?", True)])
def test_the_agents_own_words_count_less_unless_they_are_asked_for(cue, heard):
    said = memory("a", source=Source(session="s", turn=1, speaker="Assistant"))
    found = evidence([said], cue=Cue(utterance=cue, now=NOW), cosine=[0.5], coverage=[0.5])
    assert decide(found, preset("cued")).trace.columns["voice"][0] == (0.0 if heard else 1.0)


@pytest.mark.parametrize("taken", [{"trust": "agent"}, {"source": Source(speaker="assistant")}])
def test_a_note_that_an_agent_took_is_not_held_against_it(taken):
    found = evidence([memory("a", **taken)], cosine=[0.5], coverage=[0.5])
    assert decide(found, preset("cued")).trace.columns["voice"][0] == 0.0


def turns(*texts, session="s"):
    """The turns of one session, in order."""
    return [memory(f"m{turn}", text=text, source=Source(session=session, turn=turn)) for turn, text in enumerate(texts, 1)]


@pytest.mark.requirement("X6")
def test_a_passage_is_as_near_as_its_best_turn_within_two():
    found = evidence(turns("a", "b", "c", "d"), cosine=[0.1, 0.2, 0.3, 0.9])
    assert decide(found, preset("cued")).trace.columns["passage"].tolist() == [0.3, 0.9, 0.9, 0.9]


@pytest.mark.requirement("X6")
def test_a_passage_counts_neighbours_that_are_no_candidates_and_never_another_session():
    found = evidence([memory("a"), *turns("b", "c")], cosine=[0.9, 0.1, 0.2], cosine_after=[math.nan, math.nan, 0.6])
    assert decide(found, preset("cued")).trace.columns["passage"].tolist() == [0.9, 0.2, 0.6]


def test_what_was_only_noted_in_a_session_is_a_note_for_which_its_neighbours_count_less():
    noted, said = (Source(session="s"), Source(session="s", speaker="Ann"))
    told = [memory("a", source=noted), memory("b", source=noted), memory("c", source=said), memory("d", source=Source(session="s", turn=4))]
    near = {"cosine": [0.1, 0.9, 0.1, 0.1], "cosine_before": [math.nan, 0.1, 0.9, 0.9], "cosine_after": [0.9, math.nan, math.nan, math.nan]}
    found = evidence(told, **near, coverage_before=[0.0, 0.0, 1.0, 0.0], coverage_after=[1.0, 0.0, 0.0, 0.0])
    columns = decide(found, preset("cued")).trace.columns
    assert columns["turn"].tolist() == [0.0, 0.0, 1.0, 1.0]
    assert columns["passage"].tolist() == pytest.approx([0.78, 0.9, 0.9, 0.9])
    assert columns["neighbour_coverage"][0] == pytest.approx(0.85 * columns["neighbour_coverage"][2])


@pytest.mark.requirement("X6")
def test_the_turn_after_a_question_that_has_the_cues_words_answers_it():
    said = turns("Which tea do you drink? 🙂", "Oolong, always.", "And where?", "Why do you ask?")
    found = evidence(said, cosine=[0.5, 0.1, 0.1, 0.1], coverage=[0.8, 0.0, 0.4, 0.0])
    assert decide(found, preset("cued")).trace.columns["answers"].tolist() == [0.0, 0.8, 0.0, 0.0]


def test_the_agents_answer_to_a_question_is_still_its_own_words():
    asked, told = turns("Which tea is best?", "Oolong, some say.")
    told = replace(told, source=replace(told.source, speaker="assistant"))
    found = evidence([asked, told], cosine=[0.5, 0.1], coverage=[0.8, 0.0])
    assert decide(found, preset("cued")).trace.columns["answers"].tolist() == [0.0, 0.0]


def test_an_embedder_finds_its_own_calibration_and_a_stranger_the_generic_one():
    assert calibration_for("auto", "minilm/all-MiniLM-L6-v2@abc/384").name == "minilm"
    assert calibration_for("auto", "someone/else@1/768").name == "generic"
    assert calibration_for("auto", None).name == "lexical"
    with pytest.raises(InputError, match="generic"):
        calibration_for("nonesuch", None)


@pytest.mark.parametrize("name", calibrations())
def test_every_calibration_weighs_only_columns_that_exist_and_more_evidence_never_counts_against(name):
    text = f'[relevance]\ncalibration = "{name}"\n[channels]\ndense = {{}}\n'
    columns = decide(evidence([memory("a")], cosine=[0.3]), policy(text)).trace.columns
    assert set(calibrations()[name].weights) <= set(columns)
    assert np.isfinite(columns["relevance"]).all()


def columns_of(cue, memories, *, terms=(), **columns):
    """The columns of these memories for a cue, whose terms stand in so many memories."""
    found = evidence(memories, cue=Cue(utterance=cue, now=NOW), **columns)
    statistics = tuple(TermStatistic(term, documents, 1.0) for term, documents in terms)
    return decide(replace(found, findings=replace(found.findings, terms=statistics)), preset("cued")).trace.columns


def test_strangers_is_the_share_of_the_cues_names_that_nobody_here_bears():
    told = columns_of("Where did Caroline meet Tim?", [memory("a")], terms=[("carolin", 3), ("meet", 0), ("tim", 0)])
    assert told["strangers"][0] == pytest.approx(1 / 2)
    assert columns_of("where do we meet?", [memory("a")], terms=[("meet", 0)])["strangers"][0] == 0.0


def test_a_german_noun_is_no_stranger_for_its_capital_and_a_name_is():
    told = columns_of("Wann kommt die Putzfrau?", [memory("a")], terms=[("kommt", 1), ("putzfrau", 0)])
    assert told["strangers"][0] == 0.0
    assert columns_of("Wann kommt Jonas?", [memory("a")], terms=[("kommt", 1), ("jona", 0)])["strangers"][0] == 1.0


def test_what_is_ordered_may_have_any_name():
    ordered = columns_of("add a Badge to the page", [memory("a")], terms=[("badg", 0), ("page", 1)])
    assert ordered["strangers"][0] == 0.0
    assert columns_of("where is the Badge?", [memory("a")], terms=[("badg", 0)])["strangers"][0] == 1.0


def test_a_noun_behind_a_question_word_and_a_verb_that_opens_an_order_are_no_strangers():
    told = columns_of("Welche Medikamente braucht Jonas?", [memory("a")], terms=[("medikament", 0), ("braucht", 0), ("jona", 1)])
    assert told["strangers"][0] == 0.0
    told = columns_of("Schedule a visit of Tim's", [memory("a")], terms=[("schedul", 0), ("visit", 0), ("tim", 1)])
    assert told["strangers"][0] == 0.0


def test_code_is_told_by_the_nearest_memories_whatever_the_cue_looks_like():
    texts = [memory("a", text="with_backoff(call, attempts=5)"), memory("b", text="I like oolong tea.")]
    told = columns_of("Retries give up too soon", texts, terms=[("retri", 1)], cosine=[0.6, 0.1])
    assert told["code"][0] == told["code"][1] == pytest.approx(0.5)
    assert not told["technical_matched"].any()
    assert not columns_of("which tea?", [memory("b", text="I like oolong tea.")])["code"].any()


@pytest.mark.parametrize("cue", ["8f3c2ab", "#10432", "INC-214", "X7K2PQ", "192.168.0.17", "4471?"])
def test_a_code_by_itself_is_looked_for_by_its_words_alone(cue):
    assert columns_of(cue, [memory("a", text="I like oolong tea.")], cosine=[0.9])["blind"].tolist() == [1.0]


@pytest.mark.parametrize("cue", ["covid19", "utf8 codec", "python3", "order #10432", "oolong"])
def test_a_word_with_a_number_is_no_code(cue):
    assert columns_of(cue, [memory("a", text="I like oolong tea.")], cosine=[0.9])["blind"].tolist() == [0.0]


def test_of_many_memories_the_ten_nearest_tell_whether_code_is_kept_here():
    texts = [memory(f"{n:02d}", text="I like oolong tea." if n < 10 else "with_backoff(call, attempts=5)") for n in range(30)]
    assert not columns_of("which tea?", texts, cosine=[1.0 - n / 100 for n in range(30)])["code"].any()


def test_a_note_stands_apart_by_the_tenth_nearest_and_the_more_the_larger_the_store_is():
    notes, cosine = [memory(f"{n:02d}") for n in range(12)], [0.6, *[0.3] * 11]
    found = evidence(notes, cosine=cosine)
    stores = [replace(found, findings=replace(found.findings, visible=seen)) for seen in (10, 10_999)]
    small, large = (decide(store, preset("cued")).trace.columns["apart"] for store in stores)
    assert not small.any()
    # (0.6 - 0.3) · ln((10999 + 1)/(10 + 1))
    assert large.tolist() == pytest.approx([0.3 * math.log(1000), *[0.0] * 11])
    turns = [said(name, "Ada", "I keep bees.") for name in "abcdefghijkl"]
    assert not columns_of("Who keeps bees?", turns, cosine=cosine)["apart"].any()


def test_a_note_in_the_words_of_whoever_asks_is_theirs():
    texts = [memory("a", text="I keep bees."), memory("b", text="Ada keeps bees."), said("c", "Ada", "I keep bees.")]
    told = columns_of("What do I keep in my garden?", texts, cosine=[0.5, 0.5, 0.5])
    assert told["mine"].tolist() == [1.0, 0.0, 0.0]
    assert not columns_of("What does Ada keep?", texts, cosine=[0.5, 0.5, 0.5])["mine"].any()


def test_only_of_the_nearest_notes_it_is_told_whose_they_are():
    notes = [memory(f"{n:02d}", text="My bees swarm in May.") for n in range(50)]
    told = columns_of("When do my bees swarm?", notes, cosine=[1.0 - n / 100 for n in range(50)])
    assert told["mine"].tolist() == [1.0] * 40 + [0.0] * 10


def test_words_in_common_count_once_more_where_the_cue_is_code():
    texts = [memory("a", text="with_backoff(call, attempts=5)"), memory("b", text="I like oolong tea.")]
    told = columns_of("retry_call() raises TimeoutError", texts, terms=[("retri", 1)], coverage=[0.5, 0.0])
    assert told["technical_matched"][0] > 0.0 == told["technical_matched"][1]
    assert told["technical"][0] > 0.5 > told["technical"][1] == 0.0


def said(name, speaker, text):
    return memory(name, text=text, source=Source(session="s", turn=ord(name), speaker=speaker))


def test_turns_that_speak_of_somebody_else_than_is_asked_about_are_astray():
    turns = [said("a", "Tim", "Congrats on your deals, you must be proud!"), said("b", "John", "I signed with Nike, my dream!")]
    asked_of_tim = columns_of("What deals did Tim sign?", turns, cosine=[0.8, 0.7])["astray"]
    asked_of_john = columns_of("What deals did John sign?", turns, cosine=[0.8, 0.7])["astray"]
    # Tim speaks of another twice, John of himself twice: (0 - 2)/(2 + 1) and (2 - 0)/(2 + 1)
    assert asked_of_tim.tolist() == pytest.approx([0.3 - (-2 / 3 - 2 / 3) / 2] * 2)
    assert asked_of_john.tolist() == [0.0, 0.0]


def test_nothing_is_astray_where_no_speaker_is_named_or_several_are_or_notes_are_asked():
    turns = [said("a", "Tim", "Congrats on your deals!"), said("b", "John", "You should be proud!")]
    assert not columns_of("What deals were there?", turns)["astray"].any()
    assert not columns_of("What did Tim and John sign?", turns)["astray"].any()
    notes = [memory("a", text="Congrats on your deals!", source=Source(speaker="Tim"))]
    assert not columns_of("What did Tim sign?", notes)["astray"].any()


def test_the_best_is_ahead_by_what_it_has_more_of_the_words_than_the_fifth_and_others_by_their_share_of_that():
    six = [memory(name) for name in "abcdef"]
    told = columns_of("which tea?", six, coverage=[0.9, 0.1, 0.2, 0.3, 0.4, 0.5])["ahead"].tolist()
    assert told == pytest.approx([(0.9 - 0.2) * share / 0.9 for share in (0.9, 0.1, 0.2, 0.3, 0.4, 0.5)])
    assert columns_of("which tea?", six[:2], coverage=[0.9, 0.5])["ahead"].tolist() == pytest.approx([0.4, 0.4 * 0.5 / 0.9])
    assert not columns_of("which tea?", six[:2], coverage=[0.0, 0.0])["ahead"].any()


def test_words_count_once_more_for_notes():
    told = columns_of("which tea?", [memory("a"), memory("b", source=Source(session="s", turn=0))], terms=[("tea", 2)], coverage=[1.0, 1.0])
    assert told["note_matched"].tolist() == [told["matched"][0], 0.0]


def agents_turns(cue="which tea do I like?", **columns):
    turns = [memory(name, source=Source(session="s", turn=n, speaker="assistant")) for n, name in enumerate("ab")]
    return columns_of(cue, turns, **{"length": [10.0, 200.0], **columns})


def test_the_longer_the_agents_own_turn_the_less_it_is_heard():
    told = agents_turns()
    assert told["voice"].tolist() == [1.0, 1.0]
    assert told["voice_length"].tolist() == pytest.approx([0.0, math.log(201) - 3])


def test_an_agents_long_turn_is_heard_less_only_as_far_as_what_it_answers_is_about_as_near():
    long = [200.0, 200.0]
    near = {"length": long, "cosine": [0.6, 0.6]}
    beside = agents_turns(**near, cosine_before=[0.6, 0.45])["voice_length"]
    assert beside.tolist() == pytest.approx([math.log(201) - 3, 0.0])
    between = agents_turns(**near, cosine_before=[0.7, 0.525])["voice_length"]
    assert between.tolist() == pytest.approx([math.log(201) - 3, (math.log(201) - 3) / 2])
    assert not agents_turns(**near, cosine_before=[math.nan, math.nan])["voice_length"].any(), "it answers nothing"


def test_an_agents_long_turn_is_heard_more_where_the_cue_is_not_about_its_user():
    assert agents_turns("which tea is green?")["voice_length"].tolist() == pytest.approx([0.0, (math.log(201) - 3) / 4])


def test_a_turn_of_the_agents_is_meant_where_its_words_are_asked_for():
    said = [memory(name, source=Source(session="s", turn=turn, speaker=name)) for turn, name in enumerate(("user", "assistant"))]
    columns = {
        cue: decide(evidence(said, cue=Cue(utterance=cue, now=NOW)), preset("cued")).trace.columns for cue in ("Your tip?", "A tip?")
    }
    ids = sorted(each.id for each in said)
    assert dict(zip(ids, columns["Your tip?"]["turn"], strict=True)) == {"user": 1.0, "assistant": 0.0}
    assert dict(zip(ids, columns["A tip?"]["turn"], strict=True)) == {"user": 1.0, "assistant": 1.0}


def foreign(near):
    """The column `foreign` of a German cue that is so near to all the texts of a store."""
    found = evidence([memory("a")], cue=Cue(utterance="Wo ist der Schlüssel von dem Keller?", now=NOW), cosine=[0.7], fingerprint=OURS)
    found = replace(found, findings=replace(found.findings, background=Background(count=97, mean=near, deviation=0.1)))
    return decide(found, preset("cued")).trace.columns["foreign"][0]


def test_a_foreign_cue_that_is_near_to_everything_here_is_trusted_less():
    # the usual as if seen in three more, and three deviations nearer to everything count as once less
    assert foreign(above(0.0)) == foreign(above(2.0)) == 1.0
    assert foreign(above(6.0)) == pytest.approx(0.97 * 6.0 / 3.0)


def test_another_form_of_a_foreign_word_counts_as_most_of_it():
    cue = Cue(utterance="Ne kadar kira ödüyoruz?", now=NOW)
    found = evidence([memory("a", text="Kiramız on bin lira."), memory("b", text="Kedimiz uyuyor.")], cue=cue, cosine=[0.5, 0.5])
    terms = (TermStatistic("kira", 0, 1.0), TermStatistic("oduyoruz", 0, 1.0))
    columns = decide(replace(found, findings=replace(found.findings, terms=terms)), preset("cued")).trace.columns
    assert columns["coverage"].tolist() == pytest.approx([0.7 / 2, 0.0])
    assert columns["unknown"].tolist() == pytest.approx([1 - 0.7 / 2] * 2)


def test_what_a_german_compound_ends_in_counts_as_most_of_it():
    cue = Cue(utterance="Wo ist unsere Autoversicherung?", now=NOW)
    texts = ("Die Versicherung läuft bei der HUK.", "Die Verwandten kommen.")
    found = evidence([memory(name, text=text) for name, text in zip("ab", texts, strict=True)], cue=cue, cosine=[0.5] * 2)
    terms = (TermStatistic("autoversicherung", 0, 1.0),)
    columns = decide(replace(found, findings=replace(found.findings, terms=terms)), preset("cued")).trace.columns
    assert columns["coverage"].tolist() == pytest.approx([0.7, 0.0])


def covered(utterance, text, coverage, *terms):
    """The share of a cue's words that a memory has, where the store counted so much and each term has an idf of 1."""
    found = evidence([memory("a", text=text)], cue=Cue(utterance=utterance, now=NOW), coverage=[coverage])
    known = tuple(TermStatistic(term, int(present), 1.0) for term, present in terms)
    return decide(replace(found, findings=replace(found.findings, terms=known)), preset("cued")).trace.columns


def test_letters_that_a_longer_word_has_by_chance_are_not_covered():
    # three of the pairs of "Australia" are in a memory of a restaurant, and none of them in a word that both have
    pairs = [("オー", False), ("ース", False), ("スト", True), ("トラ", True), ("ラリ", False), ("リア", False)]
    columns = covered("オーストラリア？", "レストランで食べた", 1 / 3, *pairs)
    assert (columns["coverage"][0], columns["wordless"][0]) == (0.0, 1.0)


def test_a_syllable_of_another_tone_is_not_covered():
    terms = [("phong", False), ("kham", False), ("nha", True), ("khoa", False)]
    assert covered("Phòng khám nha khoa ở đâu?", "Mật khẩu wifi ở nhà", 1 / 4, *terms)["coverage"].tolist() == [0.0]
    assert covered("phong kham nha khoa o dau", "Mật khẩu wifi ở nhà", 1 / 4, *terms)["coverage"].tolist() == [1 / 4]


def test_a_hebrew_word_with_another_prefix_counts_as_most_of_it():
    columns = covered("איפה הקונצרט?", "כרטיסים לקונצרט", 0.0, ("הקונצרט", False))
    assert columns["coverage"].tolist() == pytest.approx([0.7])


@pytest.mark.parametrize(("cue", "answers"), [("What did you say about dust?", 0.5), ("What about dust?", 0.0)])
def test_a_reply_of_the_agents_answers_whatever_it_was_told_before(cue, answers):
    told = [
        memory("a", text="There is dust in my fan.", source=Source(session="s", turn=1, speaker="user")),
        memory("b", text="Take a soft brush.", source=Source(session="s", turn=2, speaker="assistant")),
    ]
    found = evidence(told, cue=Cue(utterance=cue, now=NOW), coverage=[0.5, 0.0])
    assert decide(found, preset("cued")).trace.columns["answers"].tolist() == [0.0, answers]


def with_state(utterance, goal="Plan a walking tour through the hills", *, deviations=2.0):
    """The columns for a leaning in a store where a word of the goal is known."""
    cue = Cue(utterance=utterance, goal=goal, now=NOW)
    found = evidence([memory("a", text="I only drink tea.")], cue=cue, cosine=[above(deviations)], fingerprint=OURS)
    terms = tuple(TermStatistic(term, 1, 1.0) for term in query_terms(f"{utterance} {goal}"))
    return decide(replace(found, findings=replace(found.findings, terms=terms)), preset("cued")).trace.columns


def test_a_goal_to_plan_does_not_make_a_request_of_every_utterance():
    assert with_state("Where is the key?")["bears"].tolist() == pytest.approx([0.0])
    assert with_state("Suggest a place for tea.")["bears"].tolist() == pytest.approx([1.0])
    assert with_state("", goal="Suggest a place for tea.")["bears"].tolist() == pytest.approx([1.0])
    assert with_state("Where is the key?", goal="Suggest a place for tea.", deviations=3.6)["bears"].tolist() == pytest.approx([1.0])


def test_two_letters_beside_a_state_leave_the_vector_what_it_says():
    assert with_state("ok")["blind"].tolist() == [0.0]


def test_beside_small_talk_the_words_of_the_state_are_the_cue():
    told = query_terms("Thanks, good night! Plan a walking tour through the hills")
    assert with_state("Thanks, good night!")["cue_length"].tolist() == pytest.approx([math.log1p(len(told))])
    assert with_state("Write the letter.")["cue_length"].tolist() == pytest.approx([math.log1p(len(query_terms("Write the letter.")))])


def test_a_name_that_every_short_note_has_is_shared_and_in_a_long_one_or_a_turn_it_is_little():
    told = [memory("a"), memory("b"), memory("c", source=Source(session="s", turn=1))]
    held = {"cosine": [0.6, 0.4, 0.5], "length": [6.0, 81.0, 6.0]}
    usual = columns_of("Where does Maya work?", told, terms=[("maya", 10)], **held)["shared"].tolist()
    assert usual == pytest.approx([(9 / 15) ** 2 * 0.05, (9 / 90) ** 2 * 0.25, 0.0])
    assert not columns_of("Where does Maya work?", told, terms=[("maya", 3)], **held)["shared"].any()
    assert not columns_of("Where does she work?", told, terms=[("work", 10)], **held)["shared"].any()


def test_what_is_told_of_somebody_else_is_another_where_a_stranger_is_asked_about():
    told = [
        memory("a", text="Maya's dentist is Dr. Pavel."),
        memory("b", text="My dentist moved."),
        memory("c", text="Stefan's cousin Maya paints."),
    ]
    stranger = columns_of("Who is Stefan's dentist?", told, terms=[("stefan", 0), ("dentist", 2)])["another"]
    assert stranger.tolist() == [1.0, 0.0, 0.0]
    alike = columns_of("Who is May's dentist?", told, terms=[("may", 0), ("dentist", 2)])["another"]
    assert alike.tolist() == [0.0, 0.0, 0.0]
    known = columns_of("Who is Stefan's dentist?", told, terms=[("stefan", 1), ("dentist", 2)])["another"]
    assert known.tolist() == [0.0, 0.0, 0.0]


def test_whoever_is_told_of_by_name_may_be_the_mother_that_is_asked_about_and_the_father_is_not():
    texts = [
        "Daniel's mother Grace calls on Sundays.",
        "Grace lives in Enugu.",
        "Mother's number is 555 0199.",
        "Father's number is 555 0100.",
    ]
    told = [memory(name, text=text) for name, text in zip("abcd", texts, strict=True)]
    assert columns_of("What is Mum's number?", told, terms=[("mum", 0), ("number", 2)])["another"].tolist() == [0.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    "cue", ["Suggest a dessert for Saturday's dinner", "What did we do on Mother's Day?", "Where was I on New Year's Eve?"]
)
def test_nobody_is_a_stranger_by_the_name_of_a_day(cue):
    told = [memory("a", text="Maya's desserts are never sweet.")]
    assert not columns_of(cue, told, terms=[("saturday", 0), ("mother", 0), ("new", 0), ("year", 0)])["another"].any()


def test_a_turn_that_asked_the_same_is_an_echo_and_what_asks_for_more_or_is_noted_is_none():
    texts = ["When does the staging deploy run?", "So when does the deploy run, and who watches the staging logs?", "It runs on Friday."]
    told = [memory(f"{place}", text=text, source=Source(session="s", turn=place)) for place, text in enumerate(texts)]
    told.append(memory("note", text=texts[0]))
    assert columns_of("When does the staging deploy run?", told, coverage=[1.0] * 4)["echo"].tolist() == [1.0, 0.0, 0.0, 0.0]
    assert not columns_of("When does the staging deploy run?", told, coverage=[0.3] * 4)["echo"].any()


def test_another_number_of_the_series_that_is_asked_for_is_another():
    texts = ["Ticket #48213 was about the export.", "#48790 repeats #48214.", "Tickets are closed after a month."]
    told = [memory(name, text=text) for name, text in zip("abc", texts, strict=True)]
    assert columns_of("What was ticket #48214 about?", told)["another"].tolist() == [1.0, 0.0, 0.0]
    assert columns_of("What are tickets about?", told)["another"].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("cue", "others"),
    [
        ("What happened in session 6?", [0.0, 1.0, 0.0, 0.0, 0.0]),
        ("session 4", [1.0, 1.0, 1.0, 0.0, 0.0]),
        ("What came after session 6?", [0.0, 0.0, 0.0, 0.0, 0.0]),
        ("What happened in sessions 6 and 7?", [0.0, 0.0, 0.0, 0.0, 0.0]),
        ("What happened in Room 6?", [0.0, 0.0, 0.0, 0.0, 0.0]),
    ],
)
def test_who_names_one_of_a_series_gets_no_memory_that_begins_with_another(cue, others):
    texts = ["Session 06: a storm.", "Session 7: a feast.", "Session 8 (see session 6): a ship.", "Session 9 was fun.", "6 guests"]
    told = [memory(str(row), text=text) for row, text in enumerate(texts)]
    assert columns_of(cue, told)["another"].tolist() == others


@pytest.mark.parametrize(
    ("cue", "documents", "surer"), [("Who is Petra?", 1, True), ("Who is Petra?", 9, False), ("Who is she?", 1, False)]
)
def test_a_name_that_few_have_speaks_for_itself_where_nothing_else_is_asked_for(cue, documents, surer):
    told = [memory("a", text="Legal (Petra Lunde) says: delete guests' data after 24 months."), memory("b", text="The bus is blue.")]
    found = evidence(told, cue=Cue(utterance=cue, now=NOW), cosine=[0.4, 0.4], coverage=[1.0, 0.0], bm25=[3.0, 0.0], fingerprint=OURS)
    terms = (TermStatistic("petra", documents, 2.0),) if "Petra" in cue else ()
    found = replace(found, findings=replace(found.findings, terms=terms, visible=20))
    relevant = decide(found, preset("cued")).trace.columns["relevance"]
    assert (relevant[0] > 0.7) == surer
    assert relevant[1] < 0.7


def test_who_only_greets_is_answered_by_no_turn_and_by_a_note_that_says_so_alone():
    told = [
        memory("a", text="Good morning! The move is in spring.", source=Source(session="s", turn=1)),
        memory("b", text="When I say good morning, read me the weather."),
        memory("c", text="The bus is blue."),
        memory("d", text="A good coffee every morning."),
    ]
    found = evidence(told, cue=Cue(utterance="Good morning!", now=NOW), cosine=[0.9] * 4, coverage=[1.0, 1.0, 0.0, 1.0])
    assert decide(found, preset("cued")).trace.columns["echo"].tolist() == [1.0, 0.0, 1.0, 1.0]
    working = replace(found, cue=Cue(utterance="Good morning!", goal="Plan the move", now=NOW))
    assert decide(working, preset("cued")).trace.columns["echo"].tolist() == [0.0, 0.0, 0.0, 0.0]


def test_a_rare_identifier_that_was_pasted_beside_the_cue_tells_what_it_is_about():
    cue = Cue(utterance="why does it hang?", pasted="jobs.runner_3 raised StaleLeaseError in load_rows", now=NOW)
    memories = [memory("a", text="StaleLeaseError: renew the lease."), memory("b", text="load_rows reads rows."), memory("c", text="Tea.")]
    terms = (TermStatistic("=staleleaseerror", 1, 3.0), TermStatistic("=load_rows", 2, 2.0), TermStatistic("hang", 0, 4.0))
    found = evidence(memories, cue=cue)
    columns = decide(replace(found, findings=replace(found.findings, terms=terms)), preset("cued")).trace.columns
    assert columns["quoted"].tolist() == [1.0, 0.0, 0.0]
    assert columns["unknown"].tolist() == [1.0, 1.0, 1.0]
