import json
import xml.etree.ElementTree as ET

import pytest
from click.testing import CliRunner

from cued.evaluation.evidence_cache import EvidenceCache
from cued.evaluation.formats import read
from cued.evaluation.report import Request, evaluate
from cued.evaluation.runner import Bench
from cued.policy.presets import load_policy
from cued.surfaces.cli.root import cued_command
from tests.evaluation.made import lines, write

METRICS = [f"{name}@{k}" for k in (1, 3) for name in ("recall", "any", "all", "ndcg")] + ["mrr"]


def _cli(*arguments):
    return CliRunner().invoke(cued_command, ["eval", *map(str, arguments), "--embedder", "none", "--cache", "none"])


@pytest.mark.requirement("P21")
def test_the_json_is_the_evaluation_contract(tmp_path):
    done = _cli(write(tmp_path), "--policy", "lexical", "--policy", "cued", "--k", "1,3", "--abstain", "--json")
    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["dataset"] == tmp_path.name
    assert list(answer["policies"]) == ["lexical", "cued"]
    for figures in answer["policies"].values():
        assert set(figures) == {"overall", "by_category", "session", "latency_ms", "missed", "abstain"}
        assert set(figures["by_category"]) == {"person", "place", "event"}
        for part in (figures["overall"], *figures["by_category"].values(), figures["session"]):
            for metric in METRICS:
                low, high = part[f"{metric}_ci"]
                assert 0 <= low <= part[metric] <= high <= 1
        assert figures["overall"]["queries"] == 5
        assert 0 < figures["latency_ms"]["p50"] <= figures["latency_ms"]["p95"]
        assert {"auroc", "injection_rate", "precision", "answered", "floor"} <= set(figures["abstain"])
    # the toy is easy: each question shares a word with its answer and with nothing else, but one whose gold is two turns
    assert answer["policies"]["lexical"]["overall"]["any@1"] == 1.0
    assert answer["policies"]["lexical"]["overall"]["recall@1"] == pytest.approx((4 + 1 / 2) / 5)
    assert {c["metric"] for c in answer["comparisons"]} == {"recall@3", "ndcg@3"}


def test_overall_is_the_mean_over_questions_and_unanswerable_ones_do_not_count(tmp_path):
    memories, queries = lines()
    queries.append({**queries[0], "id": "trap", "category": "adversarial", "gold_ids": ["m4"]})
    bench = Bench(embedder=None, evidence=EvidenceCache(None))
    figures = evaluate(read(write(tmp_path, memories, queries)), Request(policies=(load_policy("lexical"),)), bench)["policies"]["lexical"]
    assert "adversarial" not in figures["by_category"]
    counted = [(part["queries"], part["recall@5"]) for part in figures["by_category"].values()]
    assert sum(n for n, _ in counted) == figures["overall"]["queries"] == 5
    assert figures["overall"]["recall@5"] == pytest.approx(sum(n * value for n, value in counted) / 5, abs=1e-5)


@pytest.mark.requirement("P21")
def test_a_policy_that_regresses_is_caught_by_the_paired_comparison(tmp_path):
    words = [f"word{n}" for n in range(40)]
    memories = [{"id": str(n), "text": f"Here stands {word}."} for n, word in enumerate(words)]
    queries = [{"id": f"q{n}", "query": f"Where stands {word}?", "gold_ids": [str(n)]} for n, word in enumerate(words)]
    worse = tmp_path / "worse.toml"
    worse.write_text('[channels]\nlexical = {}\n[score]\nterms = [{ signal = "bm25", weight = -1.0 }]\n')
    folder = tmp_path / "data"
    folder.mkdir()
    done = _cli(write(folder, memories, queries), "--policy", "lexical", "--policy", worse, "--k", "1", "--json")
    assert done.exit_code == 0, done.stderr
    recall, _ = json.loads(done.stdout)["comparisons"]
    assert (recall["policy"], recall["against"], recall["metric"]) == ("worse", "lexical", "recall@1")
    assert recall["difference"] == -1
    assert recall["ci"][1] < 0
    assert recall["p"] < 0.001


def test_the_table_for_people_shows_every_policy_category_and_how_to_read_it(tmp_path):
    done = _cli(write(tmp_path), "--policy", "lexical", "--policy", "cued", "--abstain", "--floors", "0.7", "--ablate")
    assert done.exit_code == 0, done.stderr
    for said in (
        "lexical",
        "cued",
        "person",
        "recall@10",
        "95 % interval",
        "injection",
        "0.70",
        "channel lexical",
        "Stars:",
    ):
        assert said in done.stdout


def test_one_persons_questions_are_told_without_repeating_themselves(tmp_path):
    memories = [{"id": str(n), "text": f"Here stands word{n}."} for n in range(20)]
    queries = [{"query": f"Where stands word{n}?", "gold_ids": [str(n)]} for n in range(19)]
    queries += [{"query": "Who sleeps over yonder?", "gold_ids": ["19"]}, {"query": "What about zebras?", "category": "far"}]
    done = _cli(write(tmp_path, memories, queries), "--k", "1", "--floors", "0.55,0.65", "--plot", tmp_path / "plots", "--ablate")
    assert done.exit_code == 0, done.stderr
    assert "1 tenant, 20 memories, 20 questions with an answer" in " ".join(done.stdout.split())  # wrapped where its folder is called long
    assert "95.0 (85–100)" in done.stdout
    assert "on 20 own, 0 near and 1 far questions" in done.stdout
    assert "line-20  Who sleeps over yonder?" in done.stdout
    assert "by category" not in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines() if line.strip().startswith("0.")] == ["0.55", "0.65"]
    assert "No difference on any question without: " in done.stdout
    groups = ET.parse(tmp_path / "plots" / "recall-by-category.svg").getroot().findall(".//{*}rect/{*}title")
    assert [title.text.partition(":")[0] for title in groups] == ["cued, all (20)"]


@pytest.mark.requirement("S10")
def test_ablation_names_each_part_and_what_it_costs(tmp_path):
    done = _cli(write(tmp_path), "--ablate", "--json")
    losses = json.loads(done.stdout)["policies"]["cued"]["ablate"]
    cost = {loss["without"]: loss["difference"] for loss in losses}
    assert cost["channel lexical"] < -0.3
    assert cost["channel temporal"] == 0
    assert [loss["difference"] for loss in losses] == sorted(cost.values())
    assert all(loss["ci"][0] <= loss["difference"] <= loss["ci"][1] and 0 < loss["p"] <= 1 for loss in losses)


def test_pictures_are_written_and_are_well_formed(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    done = _cli(write(folder), "--plot", tmp_path / "plots")
    assert done.exit_code == 0, done.stderr
    pictures = {path.name: ET.parse(path).getroot() for path in (tmp_path / "plots").iterdir()}
    assert set(pictures) == {"recall-by-category.svg", "floor-cued.svg", "calibration.svg"}
    bars = pictures["recall-by-category.svg"].findall(".//{*}rect/{*}title")
    assert bars[0].text.startswith("cued, all (5): ")
    assert len(bars) == 1 + 3
    assert len(pictures["floor-cued.svg"].findall(".//{*}polyline")) == 3


def test_one_tenant_is_plotted_without_curves_of_the_floor(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    memories, queries = lines()
    done = _cli(write(folder, memories, [each for each in queries if each["gold_ids"]]), "--tenants", "1", "--plot", tmp_path / "plots")
    assert done.exit_code == 0, done.stderr
    assert "no curves of the floor" in done.stderr
    assert [path.name for path in (tmp_path / "plots").iterdir()] == ["recall-by-category.svg"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--k", "0"), "numbers from 1 to 1000"),
        (("--k", "many"), "such as 5,10"),
        (("--floors", "7"), "numbers from 0 to 1"),
        (("--policy", "nosuch"), "the path of a TOML file"),
        (("--policy", "cued", "--policy", "cued"), "a name of its own"),
        (("--category", "weather"), "one of abstention, event, person, place"),
        (("--category", "abstention"), "at least one query with gold_ids"),
    ],
)
def test_what_cannot_be_measured_is_refused_in_words(tmp_path, arguments, said):
    done = _cli(write(tmp_path), *arguments)
    assert done.exit_code == 2
    assert said in done.stderr


def test_the_policy_before_the_verb_stands_in_where_none_is_named(tmp_path):
    done = CliRunner().invoke(
        cued_command, ["--policy", "lexical", "eval", str(write(tmp_path)), "--embedder", "none", "--cache", str(tmp_path / "c"), "--json"]
    )
    assert done.exit_code == 0, done.stderr
    assert list(json.loads(done.stdout)["policies"]) == ["lexical"]
    assert list((tmp_path / "c").glob("evidence-*.npz"))
