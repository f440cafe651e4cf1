"""What every store promises about the recall log and about feedback, as tests."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from cued.conformance.samples import HOUR, NOW, entry, record, touch
from cued.errors import InputError
from cued.model import ERASED, Feedback, LogQuery, RecallEntry, Settlement, Shadowed, Tallies, TallyQuery, Use
from cued.ports import Store
from cued.stores.recall_log import tallied


class LoggingConformance:
    """The log and what may be asked of it; feedback."""

    def test_an_entry_with_a_known_recall_id_takes_its_place(self, store: Store) -> None:
        """Its position in the log is kept, also when both come at once."""
        store.settle("t", [], [entry("r0"), entry("r1"), entry("r2")])
        later = replace(entry("r1"), tokens=7, cited=("a",))
        store.settle("t", [], [later, entry("r3"), replace(entry("r3"), tokens=8)])
        assert [(each.recall_id, each.tokens) for each in store.log("t", LogQuery())] == [("r3", 8), ("r2", 40), ("r1", 7), ("r0", 40)]
        assert store.log("t", LogQuery(recall_id="r1")) == (later,)
        assert store.log("t", LogQuery(recall_id="nope")) == ()
        assert store.log("stranger", LogQuery(recall_id="r1")) == ()

    def test_the_recall_log_is_given_newest_first(self, store: Store) -> None:
        """As many as asked for, every field as written, also for a tenant without memories."""
        entries = [entry(f"r{number}") for number in range(5)]
        store.settle("t", [], entries[:2])
        store.settle("t", [], entries[2:])
        assert store.log("t", LogQuery(limit=3)) == (entries[4], entries[3], entries[2])
        assert store.log("t", LogQuery(oldest_first=True)) == tuple(entries)
        assert store.log("stranger", LogQuery(limit=3)) == ()
        with pytest.raises(InputError):
            store.log("t", LogQuery(limit=0))

    def test_the_log_is_in_the_order_of_time_however_it_was_written(self, store: Store) -> None:
        """And may be asked for a stretch of time, an outcome or a policy; `until` is not in it."""
        store.settle("t", [], [logged("late", NOW), logged("early", NOW - 9 * HOUR, policy="other")])
        store.settle("t", [], [logged("middle", NOW - 5 * HOUR, outcome="nothing_matched")])
        assert asked(store) == ["late", "middle", "early"]
        assert asked(store, since=NOW - 5 * HOUR) == ["late", "middle"]
        assert asked(store, until=NOW) == ["middle", "early"]
        assert asked(store, since=NOW - 5 * HOUR, until=NOW - 4 * HOUR, oldest_first=True) == ["middle"]
        assert asked(store, outcome="nothing_matched") == ["middle"]
        assert asked(store, policy="cued", limit=1) == ["late"]
        assert asked(store, recall_id="early", policy="cued") == []

    def test_the_log_is_counted_as_its_lines_would_be(self, store: Store) -> None:
        """In stretches, all together, by scope and by policy; between two times, and nothing for a stranger."""
        lines = [
            logged(f"r{number}", NOW - number * 5 * HOUR, scope="web" if number % 2 else "global", policy=("a", "b", "c")[number % 3])
            for number in range(40)
        ]
        odd = replace(
            lines[7], outcome="nothing_stored", chosen=(), found_by=(), best_relevance=0.0, floor=0.7, total_ms=300.0, degraded=()
        )
        store.settle("t", [], [*lines[:7], odd, *lines[8:]])
        read = store.log("t", LogQuery(limit=99))
        for by in ("", "scope", "policy"):
            for since, until in ((None, None), (NOW - 70 * HOUR, NOW - 3 * HOUR)):
                query = TallyQuery(since=since, until=until, by=by, every_s=86_400)
                asked_for = [line for line in read if (since is None or line.at >= since) and (until is None or line.at < until)]
                counted, truth = store.tally("t", query), tallied(asked_for, query)
                assert counted.rows == truth.rows
                assert counted.spread == truth.spread
        assert sum(row.recalls for row in store.tally("t", TallyQuery()).rows) == 40
        assert store.tally("stranger", TallyQuery()) == Tallies()
        with pytest.raises(InputError, match="longer stretches"):
            store.tally("t", TallyQuery(every_s=60))

    def test_what_was_erased_since_a_recall_comes_back_nowhere_when_it_is_settled(self, store: Store) -> None:
        """Alone or with recalls of others: neither in what it chose, in what a policy on trial would have chosen, nor as a use."""
        shadow = Shadowed(policy="other", policy_digest="", outcome="recalled", chosen=("b",), best_relevance=0.5, tokens=3)
        lines = [replace(entry(f"r{number}"), shadow=shadow) for number in range(2)]
        store.remember("t", [record("t", "a"), record("t", "b")])
        store.erase("t", ["b"])
        touches = (touch("a"), touch("b"))
        assert store.settle("t", touches, lines[:1], known=True)
        if store.settle_all([Settlement("t", touches, lines[1:], known=True)]) is None:
            store.settle("t", touches, lines[1:], known=True)
        for line in store.log("t", LogQuery()):
            assert (line.chosen, line.shadow and line.shadow.chosen) == (("a", ERASED), (ERASED,))
        assert store.log("t", LogQuery(naming=("b",))) == ()
        assert store.known("t", ["a", "b"]) == {"a"}
        assert store.get("t", ["a"])[0].use.count == 1.0

    def test_lines_at_either_end_of_the_calendar_are_counted(self, store: Store) -> None:
        """A stretch may begin before there are dates, and end after."""
        ends = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))
        store.settle("t", [], [logged(f"r{number}", at) for number, at in enumerate(ends)])
        counted = store.tally("t", TallyQuery(every_s=1000 * 604_800))
        assert [row.recalls for row in counted.rows] == [1, 1]
        assert counted == tallied(store.log("t", LogQuery()), TallyQuery(every_s=1000 * 604_800))

    def test_what_cannot_be_added_up_or_searched_is_refused(self, store: Store) -> None:
        """So that no line makes the others uncountable, nor keeps a memory from being erased."""
        shadow = Shadowed(policy="other", policy_digest="", outcome="recalled", chosen=("b",), best_relevance=0.5, tokens=3)
        either = ({"tokens": 2**62}, {"best_relevance": -1e300}, {"floor": 2.0**31}, {"policy": "\0"}, {"chosen": ("a\0",)})
        lines = [replace(entry("r"), **odd) for odd in (*either, {"omitted": -1}, {"total_ms": 1e300})]
        lines += [replace(entry("r"), shadow=replace(shadow, **odd)) for odd in either]
        for line in lines:
            with pytest.raises(InputError):
                store.settle("t", [], [line])
        assert store.log("t", LogQuery()) == ()

    def test_cue_and_evidence_are_not_kept_unless_the_store_is_told_to(self, store: Store) -> None:
        """Whoever asks for them gets none."""
        store.settle("t", [], [replace(entry("r"), cue="secret", evidence=b"secret")])
        assert store.log("t", LogQuery(content=True)) == (entry("r"),)

    def test_a_verdict_counts_once_and_the_opposite_one_replaces_it(self, store: Store) -> None:
        """On what is stored at the time; the line of the recall has it; what is said of a memory that was erased since changes nothing."""
        store.remember("t", [record("t", "a", use=Use(count=2.0)), record("t", "b")])
        store.settle("t", [], [entry("r"), entry("other")])
        assert store.feedback("t", said(cited=("a",), bad=("b",))) == ("a", "b")
        assert store.feedback("t", said(cited=("a",), bad=("b",))) == ()
        assert boosts(store) == pytest.approx([1.25, 0.5])
        assert store.log("t", LogQuery(recall_id="r")) == (replace(entry("r"), cited=("a",), bad=("b",)),)
        assert store.feedback("t", said(bad=("a",))) == ("a",)
        assert boosts(store) == pytest.approx([0.5, 0.5])
        assert store.log("t", LogQuery(recall_id="r"))[0].bad == ("a", "b")
        assert store.feedback("t", said("other", bad=("a",))) == ("a",)
        assert boosts(store) == pytest.approx([0.4, 0.5])
        store.erase("t", ["b"])
        assert store.feedback("t", said("other", cited=("b",))) == ()
        assert store.get("t", ["a"])[0].use.count == 2.0

    def test_feedback_on_what_the_log_does_not_tell_of_is_refused(self, store: Store) -> None:
        """An unknown recall, another tenant's, an id that it did not choose, an id in both lists; nothing changes."""
        store.remember("t", [record("t", "a"), record("t", "b")])
        store.settle("t", [], [entry("r")])
        for bad in (said("nope", cited=("a",)), said(cited=("a", "z")), said(cited=("a",), bad=("a",))):
            with pytest.raises(InputError):
                store.feedback("t", bad)
        with pytest.raises(InputError):
            store.feedback("stranger", said(cited=("a",)))
        assert boosts(store) == [1.0, 1.0]
        assert store.tenants() == ("t",)


def logged(recall_id: str, at: datetime, **facts: str) -> RecallEntry:
    """A line of the log at this time."""
    return replace(entry(recall_id), at=at, **facts)


def asked(store: Store, **query: object) -> list[str]:
    """The ids of the lines that a query asks for."""
    return [line.recall_id for line in store.log("t", LogQuery(**query))]  # type: ignore[arg-type]


def said(recall_id: str = "r", *, cited: tuple[str, ...] = (), bad: tuple[str, ...] = ()) -> Feedback:
    """Feedback whose factors are powers of two and five quarters."""
    return Feedback(recall_id=recall_id, cited=cited, bad=bad, cited_factor=1.25, bad_factor=0.5, least=0.4, most=2.0)


def boosts(store: Store) -> list[float]:
    """What feedback has made of two memories."""
    return [memory.use.boost for memory in store.get("t", ["a", "b"])]
