"""What the log says as a whole is what its lines say one by one; a million lines are counted without reading each."""

import time
from datetime import timedelta

import apsw
import pytest
from msgspec.structs import replace

import cued
from cued.errors import InputError
from cued.insight.overview import Window, insight_of_all
from cued.insight.rates import blindness_rate, injection_rate
from cued.model import TallyQuery
from cued.model.log import MS_STEPS, ms_of, ms_step
from cued.stores import Store
from cued.stores.keepers.sqlite import SqliteKeeper
from tests.building import NOW
from tests.insight.simulation import World

MILLION = """
    WITH RECURSIVE line(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM line WHERE n < {count} - 1)
    INSERT INTO recall (tenant, recall_id, at, policy, policy_digest, scope, outcome, candidates, chosen, found_by, best_relevance, floor,
                        below_floor, suppressed, omitted, tokens, degraded, total_ms, stage_ms, cited, bad)
    SELECT 1, printf('%026d', n), 1748000000000000 + n * 2592000, 'cued', '0123456789abcdef', iif(n % 3, 'global', 'web'),
           iif(n % 2, 'recalled', 'below_floor'), 50, iif(n % 2, '["a","b"]', '[]'), iif(n % 2, '["lexical",""]', '[]'),
           n % 100 / 100.0, 0.7, 40, 0, 0, 40, '[]', 1 + n % 7, '{{"embed": 4.1, "search": 1.2, "score": 0.2}}', '[]', '[]'
    FROM line
"""


@pytest.fixture(scope="module")
def asked():
    made = World(path=None).fill(100).ask(240)
    line = next(line for line in made.tenant.log(limit=100) if line.chosen)
    made.tenant.feedback(line.recall_id, cited=[line.chosen[0]])
    yield made
    made.close()


@pytest.mark.requirement("R1", "R6", "R7")
def test_the_whole_is_what_the_lines_say(asked):
    told, lines = asked.tenant.insight(), asked.tenant.log(limit=1000)
    whole = told.counted
    assert (whole.recalls, whole.injection_rate) == (240, injection_rate(lines))
    assert whole.blindness_rate == pytest.approx(blindness_rate(lines))
    assert whole.tokens == pytest.approx(sum(line.tokens for line in lines) / 240)
    assert whole.cited_rate == 1 / 240
    assert sum(told.relevance) == sum(told.floors.values()) == sum(stretch.counted.recalls for stretch in told.series) == 240
    assert told.floors == {"0.70": 240}
    assert sum(told.relevance[14:]) == sum(line.best_relevance >= 0.7 for line in lines)
    alone = {channel.name: channel.alone for channel in told.channels}
    assert alone["dense"] == sum(line.found_by.count("dense") for line in lines)
    assert {"search", "score", "relevance"} <= told.stages_ms.keys()
    assert told.ms["p50"] <= told.ms["p90"] <= told.ms["p99"]
    assert told.advice.verdict == "pass"
    assert told.to_dict()["advice"]["told"] == told.advice.told


@pytest.mark.parametrize("year", [1, 9999])
def test_a_line_from_the_end_of_the_calendar_keeps_nobody_from_an_answer(year):
    with cued.open(None, embedder=None, settle="now") as memories:
        memories.tenant("t").remember("Tea at noon.")
        memories.tenant("t").recall("When is tea?")
        (line,) = memories.tenant("t").log()
        memories.parts.store.settle("other", [], [replace(line, recall_id="odd", at=line.at.replace(year=year, day=1))])
        assert memories.insight().counted.recalls == 2
        assert memories.tenant("other").insight(every="30000d").counted.recalls == 1
        with pytest.raises(InputError, match=r"^every: "):
            memories.tenant("t").insight(every="10000000d")


def test_it_is_cut_by_time_and_grouped_by_scope_policy_and_tenant(asked):
    asked.tenant.recall("Where is the kettle?", scope="web", policy="rrf")
    asked.memories.tenant("other").recall("Anything?")
    by_scope = {group.label: group.counted.recalls for group in asked.tenant.insight(by="scope").groups}
    assert by_scope == {"global": 240, "web": 1}
    by_policy = [group.label.partition("@")[0] for group in asked.tenant.insight(by="policy").groups]
    assert by_policy == ["cued", "rrf"]
    week = asked.tenant.insight(since=NOW, until=NOW + timedelta(days=7), every="1d")
    assert len(week.series) in {7, 8}
    assert week.counted.recalls == len(asked.tenant.log(since=NOW, until=NOW + timedelta(days=7), limit=1000))
    everybody = asked.memories.insight()
    assert {group.label: group.counted.recalls for group in everybody.groups} == {"t": 241, "other": 1}
    with pytest.raises(InputError, match="one of none, scope, policy"):
        asked.tenant.insight(by="colour")
    with pytest.raises(InputError, match="longer stretches"):
        asked.tenant.insight(every="1s")


def test_an_empty_log_says_nothing_and_how_many_recalls_are_missing():
    with cued.open(embedder=None) as memories:
        told = memories.tenant("t").insight()
    assert (told.counted.recalls, told.series, told.ms, told.advice.missing) == (0, (), {}, 200)


def test_times_are_spread_over_steps_of_a_quarter_of_a_doubling():
    assert (ms_step(0.0), ms_step(1.0), ms_step(2.0), ms_step(1e12)) == (0, 24, 28, MS_STEPS - 1)
    assert all(ms_step(ms_of(step)) == step for step in range(1, MS_STEPS))


def test_a_million_lines_are_counted_in_the_time_of_a_few_plain_sums(tmp_path):
    """Held as a ratio in one process; two seconds for a million are some eight times what a plain sum over the same lines takes."""
    SqliteKeeper(tmp_path / "m.db").close()
    connection = apsw.Connection(str(tmp_path / "m.db"))
    with connection:
        connection.execute("INSERT INTO tenant (name) VALUES (x'74')")
        connection.execute(MILLION.format(count=200_000))
    plain = min(_seconds(lambda: connection.execute("SELECT sum(tokens), sum(best_relevance) FROM recall").get) for _ in range(3))
    connection.close()
    store = Store(SqliteKeeper(tmp_path / "m.db"))
    counted = min(_seconds(lambda: store.tally("t", TallyQuery())) for _ in range(3))
    found = store.tally("t", TallyQuery(by="scope"))
    assert sum(row.recalls for row in found.rows) == 200_000
    assert found.nth == 3
    assert sum(place.recalls for place in found.spread) == pytest.approx(200_000 / 3, rel=0.01)
    assert counted < 12 * plain, (counted, plain)
    everybody = insight_of_all(store, ["t", "nobody"], Window())
    assert everybody.counted.recalls == 200_000
    assert len(everybody.series) <= 41, "as long as all the lines reach, not only the newest"
    store.close()


def _seconds(work):
    started = time.process_time()
    work()
    return time.process_time() - started
