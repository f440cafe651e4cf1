"""From answers to what is drawn: plain functions, data in, data out."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import cued
from cued import flow
from cued.errors import InputError
from cued.surfaces.inspector import candidates
from cued.surfaces.inspector.candidates import COLOURS, WIDE, bar, compared, marked, scale
from cued.surfaces.inspector.counting import FRESH_S, QUICK_S, Counts
from cued.surfaces.inspector.doing import _undo_update
from cued.surfaces.inspector.held_recalls import HELD_S, MOST, Held, HeldRecall
from cued.surfaces.inspector.pages.beliefs import chains, choice_steps
from cued.surfaces.inspector.pages.health import finding, series, stages
from cued.surfaces.inspector.pages.meaning import Paper, colours_of, legend
from cued.surfaces.inspector.pages.provenance import graph, lines_of
from cued.surfaces.inspector.pages.timeline import bands, crumbs, labels_of, parts_of, span_of
from cued.surfaces.inspector.panels import block_share, panels
from cued.surfaces.inspector.wording import ago, clipped, figure, moment, percent, plural, unhidden
from tests.building import memory

NOW = datetime(2026, 2, 14, 12, tzinfo=UTC)


def test_bars_begin_at_zero_and_are_as_wide_as_their_parts():
    rows = [{"contributions": {"a": 3.0, "b": 1.0}}, {"contributions": {"a": -1.0, "b": 1.0}}]
    on = scale(rows)
    assert (on.zero, on.unit) == (WIDE / 5, WIDE / 5)
    assert [(part["name"], part["x"], part["wide"]) for part in bar(rows[0]["contributions"], on)] == [("a", 40, 120), ("b", 160, 40)]
    assert [(part["name"], part["x"], part["wide"]) for part in bar(rows[1]["contributions"], on)] == [("a", 0, 40), ("b", 40, 40)]
    assert bar({}, scale([])) == []


def test_no_two_parts_of_the_default_score_have_one_colour():
    parts = [term.signal for term in cued.load_policy("cued").score.terms] + ["renewal"]
    colours = [colour for _, colour in scale([{"contributions": dict.fromkeys(parts, 1.0)}]).parts]
    assert sorted(colours) == list(range(COLOURS))
    style = (Path(candidates.__file__).parent / "static" / "style.css").read_text("utf-8")
    assert all(f"--c{colour}:" in style and f".c{colour} {{ fill: var(--c{colour})" in style for colour in colours)


def test_the_words_by_which_the_cue_found_a_text_are_marked():
    pieces = marked("The staging deploys, on Friday.", frozenset({"deploy", "friday"}))
    assert [(piece["text"], piece["hit"]) for piece in pieces] == [
        ("The staging ", False),
        ("deploys,", True),
        (" on ", False),
        ("Friday.", True),
    ]
    assert "".join(piece["text"] for piece in pieces) == "The staging deploys, on Friday."


def test_two_answers_are_put_side_by_side():
    def answer(*ids):
        return {"memories": [{"id": each, "rank": rank, "text": each} for rank, each in enumerate(ids, 1)], "tokens": len(ids)}

    told = compared(answer("a", "b", "c"), answer("b", "a", "d"), {each: memory(each) for each in "abcd"})
    assert (told["come"], told["gone"], told["moved"], told["rows"]) == (1, 1, 2, 3)
    assert told["lines"] == [{"left": 1, "right": 2}, {"left": 2, "right": 1}]
    assert [each["there"] for each in told["sides"][0]] == [2, 1, None]


def test_a_stretch_of_time_has_parts_down_to_the_hour():
    oldest, newest = datetime(2025, 2, 17, tzinfo=UTC), datetime(2026, 2, 12, tzinfo=UTC)
    whole = span_of("", oldest, newest)
    assert [part.name for part in parts_of(whole)][:2] == ["2025-02", "2025-03"]
    assert [part.name for part in parts_of(whole)][-1] == "2026-02"
    assert len(list(parts_of(span_of("2024", oldest, newest)))) == 12
    assert len(list(parts_of(span_of("2024-02", oldest, newest)))) == 29
    assert [part.name for part in parts_of(span_of("2024-12-31", oldest, newest))][-1] == "2024-12-31T23"
    assert list(parts_of(span_of("2024-12-31T23", oldest, newest))) == []
    assert [each["at"] for each in crumbs(span_of("2024-12-31", oldest, newest))] == ["", "2024", "2024-12", "2024-12-31"]
    assert next(iter(parts_of(span_of("", oldest, datetime(2031, 1, 1, tzinfo=UTC))))).name == "2025"
    for wrong in ("2024-13", "9999", "x", "2024-1", "２０２５"):
        with pytest.raises(InputError):
            span_of(wrong, oldest, newest)


def test_sessions_are_bands_where_they_took_place():
    span = span_of("2025-03-01", NOW, NOW)
    said = [{"session": "s", "created_at": f"2025-03-01T{hour:02}:00:00Z"} for hour in (6, 12)] + [{"session": None, "created_at": "x"}]
    assert [(band["x"], band["wide"], band["count"]) for band in bands(said, span)] == [(250, 250, 2)]


def test_a_chain_goes_from_the_oldest_to_what_holds():
    def kept(memory_id, heir=None, created="2025-01-01"):
        marks = [{"by": heir, "at": created, "scope": None, "lifted_at": None}] if heir else []
        return {"id": memory_id, "superseded": marks, "created_at": created}

    stored = {each["id"]: each for each in (kept("a", "b"), kept("b", "c"), kept("c"), kept("x", "y"), kept("y", created="2026-01-01"))}
    lines = chains([stored["b"], stored["a"], stored["x"]], stored.get)
    assert [[each["id"] for each in line] for line in lines] == [["x", "y"], ["a", "b", "c"]]
    circle = chains([kept("a", "b"), kept("b", "a")], stored.get)
    assert len(circle[0]) == 2


def test_a_conflict_has_four_choices_with_the_steps_of_each():
    steps = {each["action"]: [step["verb"] for step in each["steps"]] for each in choice_steps({"id": "n", "text": "new"}, "o")}
    assert steps == {"keep both": ["keep_both"], "update old": ["update", "forget"], "supersede": ["update"], "delete old": ["forget"]}


def test_a_change_is_undone_by_what_was_there_before():
    before = {"text": "old", "tags": ["a"], "supersedes": ["x"]}
    assert _undo_update({"id": "m", "text": "new", "if_version": 3}, before, {}) == [{"verb": "update", "body": {"id": "m", "text": "old"}}]
    steps = _undo_update({"id": "m", "supersedes": ["y"]}, before, {})
    assert [step["body"]["supersedes"] for step in steps] == [[], ["x"]]
    assert _undo_update({"id": "m", "ttl": "3d"}, before, {}) is None


def test_a_graph_has_what_a_memory_comes_from_on_its_left():
    def node(memory_id, *children):
        return {"id": memory_id, "relation": "derived_from", "text": memory_id, "kind": "semantic", "state": [], "children": list(children)}

    drawn = graph({"memory": {"id": "m", "text": "m"}, "because": [node("a", node("b")), node("c")], "led_to": [node("d")]})
    left = {box["id"]: box["x"] for box in drawn["boxes"]}
    assert left["b"] < left["a"] == left["c"] < left["m"] < left["d"]
    assert len(drawn["links"]) == 4
    assert all(link["x1"] < link["x2"] for link in drawn["links"])
    assert graph({"memory": {"id": "m", "text": "m"}, "because": [], "led_to": []})["alone"]
    assert max(map(len, lines_of("word " * 99))) <= 34


def test_points_fill_the_paper_and_groups_have_colours():
    paper = Paper.of([(-0.5, 0.0), (0.5, 0.1)])
    assert paper.placed(-0.5, 0.0) == {"x": 30, "y": 30}
    assert paper.placed(0.5, 0.1) == {"x": 1370, "y": 830}
    points = [
        {"id": str(at), "kind": "semantic", "scope": scope, "created_at": (NOW - timedelta(days=at)).isoformat()}
        for at, scope in enumerate("ppq")
    ]
    assert colours_of(points, "scope", NOW) == {"0": ("p", 0), "1": ("p", 0), "2": ("q", 1)}
    assert legend(colours_of(points, "age", NOW).values()) == [{"name": "a week", "colour": 0, "count": 3}]


def test_the_log_is_counted_over_time_and_by_stage():
    lines = [
        {
            "at": f"2026-01-{day:02}T00:00:00Z",
            "chosen": ["a"] * (day % 2),
            "total_ms": float(day),
            "stage_ms": {"search": float(day), "fuse": 1.0},
        }
        for day in range(1, 31)
    ]
    told = series(lines)
    assert (len(told), sum(each["count"] for each in told), sum(each["spoke"] for each in told)) == (30, 30, 15)
    assert [(each["stage"], each["ms"]) for each in stages(lines)] == [("search", 15.5), ("fuse", 1.0)]
    assert series([]) == []
    assert series(lines[:1])[0]["count"] == 1


def test_a_finding_of_the_doctor_is_told_in_a_line():
    line = {"name": "vectors", "verdict": "warn", "figure": "3", "told": "three are missing", "cause": "", "mend": "cued reembed"}
    assert finding(line) == {"status": "warn", "name": "vectors", "told": "three are missing · 3", "mend": "cued reembed"}


def test_evidence_is_held_for_an_hour_and_not_without_bound(alone):
    clock = [0.0]
    held = Held(clock=lambda: clock[0])
    looked = HeldRecall(alone, {})
    held.put("t", looked)
    assert held.get("t", alone.evidence.recall_id) is looked
    assert held.get("other", alone.evidence.recall_id) is None
    for number in range(MOST):
        held.put(f"t{number}", looked)
    assert held.get("t", alone.evidence.recall_id) is None
    clock[0] = HELD_S + 1
    assert held.get("t1", alone.evidence.recall_id) is None


@pytest.fixture
def alone():
    with cued.open(None, embedder=None) as memories:
        told = memories.tenant("t").explain("anything")
    return cued.Envelope.of(told.evidence, told.policy)


def test_what_is_slow_to_count_is_shown_as_it_was_counted_last():
    clock, calls = [0.0], []

    def count(took):
        clock[0] += took
        calls.append(took)
        return {"memories": len(calls)}

    counts = Counts(clock=lambda: clock[0])
    assert [counts.of("quick", lambda: count(QUICK_S / 2))["memories"] for _ in range(3)] == [1, 2, 3]
    assert [counts.of("slow", lambda: count(QUICK_S * 2))["memories"] for _ in range(3)] == [4, 4, 4]
    clock[0] += FRESH_S / 2
    assert counts.of("slow", lambda: count(1.0))["memories"] == 4
    counts.changed("slow")
    counts.changed("nobody")
    assert counts._known["slow"].at < clock[0] - FRESH_S  # noqa: SLF001 - it is due


def test_numbers_and_times_are_said_in_short():
    assert (figure(-0.004), figure(-1.5), figure(None), percent(0.5), plural(1, "memory", "memories")) == (
        "0.00",
        "−1.50",
        "–",
        "50\u202f%",
        "1 memory",
    )
    assert [ago(NOW - timedelta(hours=hours), NOW) for hours in (0, 5, 50, 24 * 70, 24 * 800, -3)] == [
        "now",
        "5 h",
        "2 d",
        "2 mo",
        "2 y",
        "in 3 h",
    ]
    assert (ago(None, NOW), moment(None), moment("2026-02-14T12:00:00+01:00")) == ("", "", "2026-02-14 11:00")
    assert (clipped("short"), clipped("a word " * 9, 20)) == ("short", "a word a word a word…")
    assert (clipped("one\n\n\ntwo", 20), clipped("\n" * 30 + "two", 20)) == ("one ⏎ two", " ⏎ …")
    assert block_share(3200, 32_000)["share"] == 0.1


def test_what_cannot_be_seen_in_a_text_is_spelled_out():
    said = "Pay\u200b to \u202eBob\u202c\n\tnow\r\n👩\u200d👧"
    assert unhidden(said) == "Pay\\u{200b} to \\u{202e}Bob\\u{202c}\n\tnow\r\n👩\u200d👧"
    assert clipped(said, 24) == "Pay\\u{200b} to…"
    assert clipped("\u202e" * 10, 10) == "\\u{202e}\\u…"


def test_the_panels_are_the_stages_by_their_own_words_in_their_own_order():
    read = {"terms": [], "intent": "neutral", "intervals": [], "visible": 3}
    answer = {"candidates": [], "memories": [], "tokens": 0, "suppressed": {"scope": 2}, "read": read}
    shown = panels(answer, cued.load_policy("cued"), {"search": 1.0, "embed": 2.0, "floor": 0.5})
    assert [panel["stage"] for panel in shown] == ["cue", "gather", *(stage.__name__.rpartition(".")[2] for stage in flow.ORDER)]
    assert {panel["stage"]: panel["ms"] for panel in shown if panel["ms"]} == {"gather": 3.0, "floor": 0.5}


def test_what_is_in_every_block_anyway_was_not_struck_by_the_budget():
    read = {"terms": [], "intent": "neutral", "intervals": [], "visible": 2}
    fates = ("core: shown in every block", "beyond the limit of 1")
    found = [{"rank": None, "stage": "budget", "fate": fate, "signals": {}} for fate in fates]
    answer = {"candidates": found, "memories": [], "tokens": 0, "suppressed": {}, "read": read}
    assert {panel["stage"]: panel["struck"] for panel in panels(answer, cued.load_policy("cued"), {})}["budget"] == 1


def test_a_year_is_named_where_it_begins_among_months_of_several():
    assert labels_of(["2025-11", "2025-12", "2026-01", "2026-02"]) == ["2025-11", "12", "2026-01", "02"]
    assert labels_of(["2025-08-01", "2025-08-02"]) == ["01", "02"]
    assert labels_of(["2024", "2025"]) == ["2024", "2025"]
