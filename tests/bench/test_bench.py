"""The benchmark itself: it runs at a tiny size, prints every row, and what it computes is right. No time is asserted."""

from importlib import import_module

import apsw
import numpy as np
import pytest
from msgspec import json
from rich.console import Console

from bench import corpus
from bench.__main__ import main
from bench.cases import names
from bench.figures import BUDGETS, Budget, Figure, Result, Spent, merged, rate, series
from bench.measure import CountingFile, CountingFiles, machine
from bench.racing import race
from bench.racing.peers import PEERS
from bench.report import FIGURE_HEADS, Report, figure_rows, shown
from bench.sizes import SIZES, Shape
from cued.flow import ORDER

STORE_MEASURES = {
    "bulk load, vectors given",
    "loading, peak memory",
    "disk",
    "disk a memory",
    "open",
    "recall, first of a tenant",
    "recall, warm",
    "recalls back to back, settled",
    "remember one, vector given",
    "recall after a write",
    "recall after another process's write",
    "such writes seen at once",
    "memory for recalling",
    "disk in use, with log",
    "memory a memory",
    "recall without a floor",
    "recall that shows fifty",
    "recall into 2000 tokens",
    "recalls, 1 thread",
    "recalls, 4 threads",
    "recalls, 16 threads",
    "recall, 1 thread",
    "recall, 4 threads",
    "recall, 16 threads",
    "slow ÷ usual, 1 thread",
    "slow ÷ usual, 4 threads",
    "slow ÷ usual, 16 threads",
}
OF_ONE_TENANT = {
    "recall ÷ bare scan",
    "recall ÷ bare scan, in turn",
    "recall, first of a kept tenant",
    "cued recall in a shell, without a server",
}


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bench")
    main(["--size", "tiny", "--json", str(folder / "figures.json"), "--markdown", "--folder", str(folder)])
    return json.decode((folder / "figures.json").read_bytes(), type=Report)


def measured(report, case):
    return {figure.measure: figure for figure in report.figures if figure.case == case}


@pytest.mark.parametrize("case", ["one-60", "long-60", "tenants-60"])
def test_each_store_is_measured_from_filling_to_recalling(ran, case):
    assert measured(ran, case).keys() - OF_ONE_TENANT == STORE_MEASURES


def test_every_figure_is_a_finite_number(ran):
    assert all(np.isfinite(figure.value) and figure.value >= 0 for figure in ran.figures)


def test_another_process_s_writes_are_seen_at_once(ran):
    assert measured(ran, "one-60")["such writes seen at once"].value == 100
    assert measured(ran, "tenants-60")["such writes seen at once"].value == 100


@pytest.mark.requirement("P22")
def test_the_time_of_every_stage_is_shown(ran):
    assert ran.stages
    for stages in ran.stages.values():
        assert {"embed", "cue", "search", *(stage.__name__.rpartition(".")[2] for stage in ORDER)} <= stages.keys()


@pytest.mark.requirement("P22")
def test_the_same_tenant_is_measured_in_stores_of_several_sizes(ran):
    assert measured(ran, "growth").keys() == {"recall among 20 of 40", "recall among 20 of 60", "largest ÷ smallest store"}


def test_minilm_is_measured_or_said_to_be_left_out(ran):
    found = measured(ran, "minilm")
    left_out = [note for result in ran.results for note in result.notes if note.startswith("minilm")]
    assert bool(found) != bool(left_out)
    if found:
        assert found["fsyncs a remember"].value == 1
        assert {"remember one", "bulk load, one thread", "load the model", "embed one"} <= found.keys()


def test_a_file_and_postgresql_are_measured_side_by_side_or_said_to_be_left_out(ran):
    found = measured(ran, "keepers")
    left_out = [note for result in ran.results for note in result.notes if note.startswith("keepers")]
    assert bool(found) != bool(left_out)
    if found:
        assert {"PostgreSQL ÷ a file", "recalls, 16 threads from PostgreSQL", "copied to PostgreSQL, 60"} <= found.keys()


def test_processes_that_write_to_one_file_are_measured_together(ran):
    assert measured(ran, "crowding").keys() == {
        f"{measure}, {several}" for measure in ("remembered", "remember one") for several in ("1 process", "2 processes", "4 processes")
    }


def test_a_server_under_load_is_measured_and_fails_nobody(ran):
    found = measured(ran, "serving")
    assert found["requests that failed"].value == 0
    assert found["requests"].value > 0
    assert found.keys() > {"recall over HTTP", "memory grown under load", "cued recall in a shell"}


def test_cued_races_the_bare_arithmetic_and_both_find_what_is_asked_for(ran):
    found = measured(ran, "race")
    assert {"Cued", "numpy + bm25s", "Cued ÷ numpy + bm25s"} <= found.keys()
    assert found["Cued ÷ numpy + bm25s"].value == pytest.approx(found["Cued"].value / found["numpy + bm25s"].value)
    assert [found[f"found by {name}"].value for name in ("Cued", "numpy + bm25s")] == [100, 100]


def test_a_peer_runs_the_race_or_is_named_with_what_keeps_it_from_that(tmp_path):
    result = race({**PEERS, "nobody": lambda *_: import_module("no_such_peer")}, 20, tmp_path, 2)
    told = {figure.measure for figure in result.figures} | {note.partition(": ")[2].partition(" is left out")[0] for note in result.notes}
    assert told >= {"Cued", *PEERS, "nobody"}
    assert all(figure.value == 100 for figure in result.figures if figure.unit == "%")


def test_every_budget_belongs_to_something_that_is_measured(ran):
    every = {figure.measure for figure in ran.figures} | {measure for case, measure in BUDGETS if case in ("minilm", "keepers")}
    for case, measure in BUDGETS:
        assert case in (*names(SIZES["full"]), *names(SIZES["million"]))
        assert measure in every


def test_an_unknown_case_is_refused_with_the_known_ones(capsys):
    with pytest.raises(SystemExit, match=r"import, one-60, long-60, tenants-60, growth, keepers, crowding, minilm, serving, race$"):
        main(["--size", "tiny", "--only", "nothing"])


def test_a_row_shows_the_budget_and_whether_it_holds():
    within = Figure(case="one-10k", measure="recall, warm", unit="ms", value=1.5)
    over = Figure(case="one-10k", measure="recall, warm", unit="ms", value=3.5, p95=4, most=5, cpu=2)
    rows = [dict(zip(FIGURE_HEADS, row, strict=True)) for row in figure_rows([within, over])]
    assert [(row["budget"], row[""]) for row in rows] == [("≤ 2", "✓"), ("≤ 2", "✗")]
    assert (rows[1]["p95"], rows[1]["max"], rows[1]["cpu"]) == ("4.00", "5.00", "2.00")


def test_what_is_a_fifth_worse_than_before_is_marked_and_red():
    def reported(recall_ms, rate):
        figures = Figure(case="c", measure="recall", unit="ms", value=recall_ms), Figure(case="c", measure="load", unit="/s", value=rate)
        return Report(machine=machine(0, 0), results=(Result(figures=figures),))

    before, now, console = (
        reported(10, 1000),
        reported(12, 1100),
        Console(record=True, color_system="standard", force_terminal=True, width=200),
    )
    rows = [dict(zip(FIGURE_HEADS, row, strict=True)) for row in figure_rows(now.figures, before)]
    assert [row["as bad as before"] for row in rows] == ["1.20 × ✗", "0.91 ×"]
    shown(now, console, before)
    red = [line for line in console.export_text(styles=True).splitlines() if "\x1b[31m" in line]
    assert len(red) == 1
    assert "recall" in red[0]
    assert [row[-1] for row in figure_rows(now.figures)] == ["", ""]


def test_pages_are_as_long_as_they_say_and_begin_with_their_sentence():
    words = corpus.vocabulary()
    block = corpus.block(0, 0, 5, among=5, words=words)
    pages = corpus.pages(block, 0, words=words)
    assert {len(draft["text"]) for draft in pages.drafts} == {corpus.PAGE_CHARACTERS}
    assert all(page["text"].startswith(draft["text"]) for page, draft in zip(pages.drafts, block.drafts, strict=True))


def test_a_budget_holds_up_to_its_bound():
    assert Budget("≤", 3).holds(3)
    assert not Budget("≤", 3).holds(3.1)
    assert Budget("≥", 300).holds(300)
    assert not Budget("≥", 300).holds(299)


def test_several_runs_become_one_by_their_medians_and_their_maximum():
    runs = [Result(figures=(series("c", "m", [Spent(wall, wall / 2)]),), stages={"c": {"search": wall}}) for wall in (1.0, 9.0, 2.0)]
    one = merged(runs)
    assert one.figures == (Figure(case="c", measure="m", unit="ms", value=2.0, p95=2.0, most=9.0, cpu=1.0),)
    assert one.stages == {"c": {"search": 2.0}}


def test_a_rate_is_the_count_over_all_the_time_spent():
    assert rate("c", "m", 30, [Spent(1000, 500), Spent(2000, 500)]).value == 30 / 3
    assert rate("c", "m", 30, [Spent(1000, 500), Spent(2000, 500)]).cpu == 30 / 1


def test_the_same_memories_and_questions_are_made_up_every_time():
    words = corpus.vocabulary()
    one, same = (corpus.block(3, 0, 50, among=50, words=words) for _ in range(2))
    assert one.drafts == same.drafts
    assert np.array_equal(one.vectors, same.vectors)
    assert [q.text for q in corpus.questions(one, 8, words=words)] == [q.text for q in corpus.questions(same, 8, words=words)]


def test_made_up_memories_have_the_length_of_sentences_and_unit_vectors():
    block = corpus.block(0, 0, 200, among=200, words=corpus.vocabulary())
    lengths = [len(draft["text"].split()) for draft in block.drafts]
    assert min(lengths) >= corpus.WORDS_LEAST
    assert max(lengths) <= corpus.WORDS_MOST + len(("on", "1", "May", "2024"))
    assert np.allclose(np.linalg.norm(block.vectors, axis=1), 1.0, atol=1e-5)


def test_common_words_are_common_and_rare_ones_rare():
    words = corpus.vocabulary()
    said = " ".join(draft["text"].lower() for draft in corpus.block(0, 0, 500, among=500, words=words).drafts).split()
    assert said.count("the") > said.count("people") > 0
    assert len(set(said)) > 1000


def test_a_question_speaks_of_a_memory_that_is_there():
    words = corpus.vocabulary()
    block = corpus.block(0, 0, 30, among=30, words=words)
    for question in corpus.questions(block, 10, words=words):
        assert (block.vectors @ question.vector).max() > 0.5


def test_a_shape_is_named_by_its_memories():
    assert Shape(100_000).name == "one-100k"
    assert Shape(100_000, 1000).name == "tenants-100k"
    assert Shape(60, 3).each == 20


def test_fsyncs_are_counted(tmp_path):
    files = CountingFiles()
    connection = apsw.Connection(str(tmp_path / "counted.db"))
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "FULL")
    connection.execute("CREATE TABLE t (x)")
    before = CountingFile.synced
    for _ in range(3):
        connection.execute("INSERT INTO t VALUES (1)")
    assert CountingFile.synced - before == 3
    connection.close()
    files.unregister()
