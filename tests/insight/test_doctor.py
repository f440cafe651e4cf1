"""Every failure mode is provoked by traffic whose truth is known, and the doctor names it; on healthy stores it names none."""

import os
from datetime import timedelta

import apsw
import pytest
from msgspec.structs import replace

import cued
from cued.errors import EmbedderError
from cued.insight import deployment
from cued.insight.deployment import loops
from cued.insight.doctor import BESIDE, CHECKLIST
from cued.insight.holdings import half_lives
from cued.insight.observing import observe
from cued.insight.rates import advice
from cued.model import Fingerprint
from cued.policy.parse import parse
from cued.stores import Store
from cued.stores.columns.kernels import COMPILED
from cued.stores.keepers.memory import MemoryKeeper
from cued.stores.keepers.sqlite import page_sums
from tests.building import NOW
from tests.fakes import FailingEmbedder
from tests.insight.simulation import ConceptEmbedder

NOTHING_FILTERED = """
[channels]
lexical = {{ pool = 50, over = "cue" }}
dense = {{ pool = 50, over = "cue" }}
[score]
terms = [{terms}]
[budget]
limit = {limit}
"""


def policy(terms='{ signal = "log_odds" }', *, limit=5, more=""):
    return parse(NOTHING_FILTERED.format(terms=terms, limit=limit) + more, name="test")


def line(world, name):
    (found,) = (each for each in world.tenant.doctor().lines if each.name == name)
    return found


def dense(world):
    return world(seed=2).fill(144).ask()


def noisy(world):
    made = world(seed=3).fill(100)
    for number in range(60):
        made.tenant.remember(f"Small talk number {number}: {made.random.choice(('rain', 'sun', 'fog'))} again.", conflicts=False)
    return made.ask()


def drifting(world):
    made = world(seed=4).fill(100)
    for _ in range(3):
        made.ask(80)
        for fact in made.random.sample(made.facts, 5):
            moved = made.tenant.remember(f"{fact[1]} keeps the {fact[2]} in the tower now.", supersedes=fact[0], conflicts=False)
            made.facts[made.facts.index(fact)] = (moved.ids[0], *fact[1:3], "tower")
    return made


def contradictory(world):
    made = world(seed=5).fill(100)
    for fact in made.facts[:20]:
        made.tenant.remember(f"{fact[1]} keeps the {fact[2]} in the lighthouse.", conflicts=False)
    return made.ask()


@pytest.mark.parametrize("made", [dense, noisy, drifting, contradictory], ids=lambda made: made.__name__)
def test_on_a_healthy_store_of_any_sort_nothing_is_named(made, world):
    diagnosis = made(world).tenant.doctor()
    assert (diagnosis.named, diagnosis.verdict, diagnosis.missing) == ((), "pass", 0)


@pytest.mark.requirement("R24")
def test_the_six_items_of_the_checklist_are_computed_each_with_its_figure(world):
    diagnosis = world().fill().ask().tenant.doctor()
    assert (
        [each.name for each in diagnosis.checklist]
        == list(CHECKLIST)
        == ["injection", "lexical", "fading", "variety", "blindness", "budget"]
    )
    assert all(each.verdict == "pass" and each.figure and each.told for each in diagnosis.checklist)
    assert [each.name for each in diagnosis.beside] == list(BESIDE)
    told = diagnosis.to_dict()
    assert told["checklist"][0] == diagnosis.checklist[0].to_dict()
    assert told["checklist"][0]["figure"].endswith("of 240 recalls at floor 0.70")


@pytest.mark.requirement("R5")
def test_fewer_than_two_hundred_recalls_allow_no_conclusion_and_it_says_how_many_are_missing(world):
    made = world().fill(60).ask(57)
    diagnosis = made.tenant.doctor()
    assert diagnosis.missing == 143
    unknown = {each.name: each.told for each in diagnosis.lines if each.verdict == "unknown"}
    assert set(unknown) == {"injection", "blindness", "variety", "drift", "popularity", "parts"}
    assert set(unknown.values()) == {"needs 200 recalls, and 143 are missing"}
    assert advice(0.9, 57, floor=0.7).missing == 143
    assert advice(0.9, 57, floor=0.7).floor is None


@pytest.mark.requirement("R2", "R4")
@pytest.mark.parametrize(
    ("rate", "verdict", "floor", "word"),
    [
        (0.81, "fail", 0.75, "over-injection: the floor is too low"),
        (0.75, "warn", 0.75, "raise the floor"),
        (0.70, "pass", None, "within bounds"),
        (0.48, "pass", None, "healthy"),
        (0.20, "pass", None, "within bounds"),
        (0.10, "warn", 0.65, "lower the floor, or check the channels"),
    ],
)
def test_an_injection_rate_is_judged_and_the_next_floor_is_one_step_away(rate, verdict, floor, word):
    said = advice(rate, 200, floor=0.7)
    assert (said.verdict, said.floor) == (verdict, floor)
    assert word in said.told


@pytest.mark.requirement("R2")
def test_over_injection_is_named(world):
    made = world(policy=parse("[floor]\nat = 0.01\n" + NOTHING_FILTERED.format(terms='{ signal = "log_odds" }', limit=5), name="low"))
    made.fill().ask()
    found = line(made, "injection")
    assert (found.verdict, found.cause, found.mend) == ("fail", "floor too low", "cued tune --from log")
    assert "over-injection" in found.told


@pytest.mark.requirement("R8")
def test_blindness_by_a_floor_that_is_too_high_is_named_with_its_numbers(world):
    made = world().fill().ask(answerable=0.9, floor=0.999)
    found = line(made, "blindness")
    assert (found.verdict, found.cause) == ("fail", "floor too high")
    assert "silent recalls had a memory that was likely relevant" in found.told


@pytest.mark.requirement("R8")
def test_blindness_without_the_lexical_channel_is_named(world):
    made = world(
        policy=parse('[channels]\ndense = { pool = 50 }\n[score]\nterms = [{ signal = "similarity" }]\n[floor]\nat = 0.7\n', name="d")
    )
    made.fill().ask()
    assert line(made, "blindness").cause == "lexical channel absent"
    assert line(made, "lexical").verdict == "fail"


@pytest.mark.requirement("R8")
def test_blindness_without_an_embedder_is_named(world):
    made = world(embedder=None).fill().ask(answerable=0.3)
    found = line(made, "blindness")
    assert (found.verdict, found.cause) == ("fail", "embedder absent")
    assert "dense: no embedder" in found.told


def test_a_small_store_that_is_searched_by_words_alone_lacks_nothing(world):
    assert world(embedder=None).fill(40).ask().named() == set()


@pytest.mark.requirement("R8")
def test_blindness_of_a_sparse_store_is_named(world):
    assert "only 1 memory is visible" in line(world().fill(1).ask(answerable=0.3), "blindness").told
    made = world().fill(6).ask(answerable=0.3)
    assert line(made, "blindness").cause == "store sparse"
    assert "only 6 memories are visible" in line(made, "blindness").told


@pytest.mark.requirement("R8")
def test_blindness_by_a_gate_is_named(world):
    made = world().fill(scope="web").ask()
    found = line(made, "blindness")
    assert (found.verdict, found.cause) == ("fail", "everything gated")
    assert "240 of 240 silent recalls" in found.told


@pytest.mark.requirement("F8")
def test_drift_is_named_where_one_cue_is_used_for_many_turns(world):
    made = world().fill()
    for number in range(240):
        _, person, thing, _ = made.facts[number // 4]
        made.tenant.recall(f"Where does {person} keep the {thing}?", conversation=f"c{number // 4}")
    assert line(made, "drift").cause == "retrieval drift"
    assert "one cue" in line(made, "drift").told


@pytest.mark.requirement("F8")
def test_drift_is_named_where_the_same_memories_come_back_whatever_is_asked(world):
    made = world().fill()
    for number in range(240):
        _, person, thing, _ = made.facts[number // 6]
        made.tenant.recall(f"Where does {person} keep the {thing}? Step {number}.", conversation=f"c{number // 6}", limit=1)
    assert line(made, "drift").cause == "retrieval drift"
    assert "changing cues" in line(made, "drift").told


def test_a_popularity_loop_is_named(world):
    loop = policy('{ signal = "log_odds", weight = 0.05 }, { signal = "frequency", weight = 2.0 }')
    made = world(policy=loop).fill().ask(answerable=1.0)
    found = line(made, "popularity")
    assert (found.verdict, found.cause) == ("warn", "popularity loop")
    assert line(made, "use").cause == "counts never fade"
    made = world(policy=policy()).fill().ask(answerable=1.0)
    assert not {"popularity loop", "counts never fade"} & made.named()


@pytest.mark.requirement("P18")
@pytest.mark.parametrize(
    ("half_life", "word"),
    [("1d", "older than a week is gone"), ("6d", "older than a week is gone"), ("90d", "recency is a constant")],
)
def test_a_half_life_beyond_either_cliff_is_named(world, half_life, word):
    fading = policy(f'{{ signal = "log_odds" }}, {{ signal = "recency", half_life = "{half_life}", since = "created" }}')
    found = line(world(policy=fading).fill(30), "fading")
    assert (found.verdict, found.cause) == ("warn", "decay cliff")
    assert word in found.told
    assert half_life in found.figure


@pytest.mark.requirement("P18")
@pytest.mark.parametrize("half_life", ["7d", "14d", "30d"])
def test_a_half_life_between_the_cliffs_passes(world, half_life):
    fading = policy(f'{{ signal = "log_odds" }}, {{ signal = "recency", half_life = "{half_life}", since = "created" }}')
    assert line(world(policy=fading).fill(30), "fading").verdict == "pass"


def test_every_way_to_say_a_half_life_is_read():
    ways = {'tau = "10d"': 6.93, "rate_per_day = 0.005": 138.63, "per_hour = 0.995": 5.76, 'half_life = "2d"': 2.0}
    for said, days in ways.items():
        (found,) = half_lives(policy(f'{{ signal = "recency", {said}, since = "created" }}'))
        assert found / timedelta(days=1) == pytest.approx(days, abs=0.01)


@pytest.mark.requirement("P17")
def test_salience_collapse_is_named_and_importances_that_nobody_sets_are_not(world):
    found = line(world().fill(importance=0.7), "salience")
    assert (found.verdict, found.cause) == ("warn", "salience collapse")
    assert "100 % of 120 memories have importance 0.7" in found.figure
    assert line(world().fill(), "salience").verdict == "pass"
    assert line(world().fill(importance=lambda number: 0.9 if number == 1 else 0.5), "salience").verdict == "pass"
    assert line(world().fill(importance=lambda number: number % 10 / 10), "salience").verdict == "pass"


def test_a_scan_that_warms_an_old_session_is_named(world):
    warm = policy('{ signal = "log_odds" }, { signal = "recency", half_life = "14d", since = "last_used" }', limit=20)

    def scanned(rules):
        made = world(policy=rules)
        old = made.clock() - timedelta(days=90)
        for number in range(12):
            made.tenant.remember(f"Meeting note {number} of the harbour project.", session="harbour", turn=number, at=old, conflicts=False)
        made.tenant.recall("Show me everything of the harbour project meeting.")
        return made

    assert line(scanned(warm), "scans").cause == "scan warms an old session"
    protected = parse(NOTHING_FILTERED.format(terms='{ signal = "recency", half_life = "14d", since = "last_used" }', limit=20)
                      + '[settle]\nsecond_within = "7d"\n', name="lru-2")  # fmt: skip
    assert line(scanned(protected), "scans").verdict == "pass"


def test_diversity_collapse_is_named(world):
    made = world(policy=policy(limit=6))
    for number in range(60):
        made.tenant.remember(f"Mira prefers the green kettle made of cast iron, she said it {number} times over.", conflicts=False)
    made.facts = [("m", "Mira", "green kettle", "")]
    made.ask(answerable=1.0)
    assert line(made, "variety").cause == "diversity collapse"


class DeadReranker:
    def rerank(self, query, texts):
        raise EmbedderError("the reranker is down")


@pytest.mark.requirement("P14")
def test_a_reranker_outage_is_named(world):
    made = world(policy=policy(more="[rerank]\ndepth = 5\n"), reranker=DeadReranker()).fill().ask()
    found = line(made, "parts")
    assert (found.verdict, found.cause) == ("fail", "reranker outage")


class EnglishEmbedder(ConceptEmbedder):
    """An embedder that passes for the one that ships, which knows Latin script alone."""

    @property
    def fingerprint(self):
        return Fingerprint(provider="cued", model="recall-minilm-l6", revision="1", dimensions=self.dimensions)


def test_a_model_that_does_not_know_the_language_is_named(world):
    made = world(embedder=EnglishEmbedder())
    for number in range(30):
        made.tenant.remember(f"\u6211\u628a\u6c34\u58f6\u653e\u5728\u9601\u697c\u91cc {number}", conflicts=False)
    assert line(made, "language").cause == "model does not know the language"
    assert line(world(embedder=EnglishEmbedder()).fill(), "language").verdict == "pass"


@pytest.mark.requirement("S11")
def test_the_embedder_without_a_model_is_reported_as_weak(world):
    found = line(world(embedder=cued.embed.load_embedder("hashing")).fill(30), "embedder")
    assert (found.verdict, found.cause) == ("warn", "weak embedder")


def test_an_embedder_that_fails_or_is_missing_is_named(world):
    failing = FailingEmbedder()
    made = world(embedder=failing).fill(60)
    failing.down = True
    assert line(made, "embedder").cause == "embedder failing"
    assert line(world(embedder=None).fill(60), "embedder").cause == "embedder absent"
    assert line(world(embedder=None).fill(20), "embedder").verdict == "pass"


def test_mixed_and_pending_vectors_are_named(world, tmp_path):
    world(path=tmp_path / "m.db", embedder=ConceptEmbedder("old")).fill(30).close()
    mixed = world(path=tmp_path / "m.db", embedder=ConceptEmbedder("new"))
    assert line(mixed, "vectors").cause == "mixed vectors"
    world(path=tmp_path / "n.db", embedder=None).fill(30).close()
    pending = world(path=tmp_path / "n.db")
    assert line(pending, "vectors").cause == "vectors pending"
    assert "30 pending, the oldest since 2025" in line(pending, "vectors").figure


@pytest.mark.requirement("R23")
def test_the_decision_guide_is_applied_to_what_has_changed(world):
    faded = '{{ signal = "recency", tau = "14d", since = "created", weight = 0.0, lean = 1.0 }}'
    leaning = 'recency_weight = {}\nterms = [{{ signal = "log_odds" }}, ' + faded + "]"

    def told(weight, changed):
        rules = parse(f"[channels]\nlexical = {{ pool = 50 }}\n[score]\n{leaning.format(weight)}\n", name="leaning")
        made = world(policy=rules).fill(40)
        for fact in made.facts[:changed]:
            made.tenant.remember(f"{fact[1]} sold the {fact[2]}.", supersedes=fact[0], conflicts=False)
        return line(made, "guide")

    assert (told(0.1, 0).verdict, told(0.9, 20).verdict) == ("pass", "pass")
    assert "hardly change" in told(0.9, 0).told
    assert "change often" in told(0.1, 20).told
    assert told(0.1, 20).mend == "cued recall CUE --recency-weight 0.7"


@pytest.mark.parametrize(("source", "again"), [("kernels.py", "--editable ."), ("no source, as in an installed package", ".")])
def test_a_search_that_was_not_compiled_is_named_with_what_mends_it(world, monkeypatch, source, again):
    assert line(world(), "loops").verdict == ("pass" if COMPILED else "warn")
    monkeypatch.setattr(deployment, "SOURCE", deployment.SOURCE.with_name(source))
    store = Store(MemoryKeeper())
    seen = observe("t", store, policy(), embedder=None, now=NOW)
    slow, quick = (loops(replace(seen, condition=replace(seen.condition, compiled=compiled))) for compiled in (False, True))
    assert (slow.verdict, slow.mend, quick.verdict) == ("warn", f"pip install --force-reinstall --no-deps {again}", "pass")


def test_a_block_without_bounds_is_named(world):
    made = world(policy=policy(limit=12))
    for number in range(12):
        made.tenant.remember(f"Chapter {number} of the harbour handbook. " + "The crane lifts the crates. " * 60, conflicts=False)
    made.tenant.recall("harbour handbook chapter crane", floor=0.0, limit=12)
    assert line(made, "budget").cause == "unbounded block"
    made.tenant.recall("harbour", budget_tokens=100)
    bounded = world(policy=policy(more="tokens = 500\n"))
    assert line(bounded, "budget").figure.startswith("at most 500 tokens")


def test_the_state_of_the_file_is_told(world, tmp_path):
    made = world(path=tmp_path / "m.db").fill(40)
    assert {each.verdict for each in made.tenant.doctor().lines if each.name != "loops"} == {"pass", "unknown"}
    assert line(made, "versions").figure.startswith("schema")
    (tmp_path / "m.db").chmod(0o644)
    assert line(made, "permissions").cause == ("readable by others" if os.name == "posix" else "")
    connection = apsw.Connection(str(tmp_path / "m.db"))
    connection.execute("DELETE FROM vector WHERE key IN (SELECT key FROM vector LIMIT 3)")
    connection.close()
    assert "3 without the vector that they name" in line(made, "index").figure
    assert line(made, "index").cause == "index against rows"


def test_a_damaged_file_is_named(tmp_path, world):
    world(path=tmp_path / "m.db").fill(40).close()
    connection = apsw.Connection(str(tmp_path / "m.db"), vfs=page_sums.file_system())
    connection.pragma("writable_schema", "ON")
    connection.execute("DELETE FROM sqlite_schema WHERE name = 'memory_change'")  # its pages belong to nobody now
    connection.close()
    again = world(path=tmp_path / "m.db")
    found = line(again, "database")
    assert (found.verdict, found.cause) == ("fail", "damaged database")
