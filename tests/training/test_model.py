"""The parts that need PyTorch: losses, the adapted map, export and the figures."""

from random import Random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is needed for training alone and is not installed here")
pytest.importorskip("tokenizers", reason="the base model's tokenizer is needed for training alone and is not installed here")

from training.batches import schedule  # noqa: E402
from training.encoder import Adapted, padded  # noqa: E402
from training.evaluate import interval, spearman, unit  # noqa: E402
from training.export import added, average, factors, rotation, scaled  # noqa: E402
from training.losses import anchor, distil, info_nce, matryoshka  # noqa: E402
from training.recipe import Recipe, changed  # noqa: E402
from training.report import refusal  # noqa: E402
from training.train import pace  # noqa: E402

OPEN = torch.zeros(2, 2, dtype=torch.bool)


def test_info_nce_of_orthogonal_pairs_is_the_softmax_of_one_against_zero():
    vectors = torch.eye(2)
    expected = -np.log(np.exp(1 / 0.5) / (np.exp(1 / 0.5) + 1))
    assert info_nce(vectors, vectors, forbidden=OPEN, temperature=0.5).item() == pytest.approx(expected)


def test_a_forbidden_pair_is_no_negative():
    vectors, other = torch.eye(2), torch.tensor([[False, True], [True, False]])
    assert info_nce(vectors, vectors, forbidden=other, temperature=0.5).item() == pytest.approx(0)


def test_matryoshka_is_the_mean_over_widths():
    cues, passages = torch.randn(2, 8), torch.randn(2, 8)
    parts = [info_nce(cues[:, :width], passages[:, :width], forbidden=OPEN, temperature=1.0).item() for width in (8, 4)]
    whole = matryoshka(cues, passages, forbidden=OPEN, temperature=1.0, widths=(8, 4))
    assert whole.item() == pytest.approx(sum(parts) / 2)


def test_nothing_lost_costs_nothing():
    vectors = torch.randn(5, 8)
    assert anchor(vectors, vectors).item() == pytest.approx(0, abs=1e-6)
    assert distil(vectors, vectors).item() == pytest.approx(0, abs=1e-6)


def test_an_adapter_starts_as_the_base_and_merges_as_written():
    part = Adapted(torch.randn(3, 4), torch.zeros(3), rank=2, scale=2.0)
    inputs = torch.randn(5, 4)
    assert torch.equal(part(inputs), part(inputs, plain=True))
    part.b.data.normal_()
    assert torch.allclose(part.merged(), part.weight + 2 * part.b @ part.a, atol=1e-6)


def test_factors_of_a_low_rank_matrix_give_it_back():
    delta = torch.randn(6, 2) @ torch.randn(2, 5)
    b, a = factors(delta, 2)
    assert torch.allclose(b @ a, delta, atol=1e-5)


def test_deltas_are_averaged_scaled_and_added():
    first, second = {"w": torch.full((2, 2), 1.0)}, {"w": torch.full((2, 2), 3.0)}
    assert torch.equal(average([first, second])["w"], torch.full((2, 2), 2.0))
    assert torch.equal(added(first, scaled(second, 0.5))["w"], torch.full((2, 2), 2.5))
    assert torch.equal(added({}, second)["w"], second["w"])


def test_a_rotation_keeps_cosines_and_puts_the_strongest_direction_first():
    vectors = torch.randn(200, 6) * torch.tensor([0.1, 0.1, 5.0, 0.1, 0.1, 0.1])
    turn = rotation(vectors)
    assert torch.allclose(turn.T @ turn, torch.eye(6), atol=1e-5)
    assert turn[2, 0].abs().item() > 0.99


def test_padding_is_masked_and_rounded_up_to_eight():
    ids, mask = padded([[5, 6, 7], [8]], torch.device("cpu"))
    assert ids.shape == (2, 8)
    assert mask.sum(1).tolist() == [3, 1]


def test_aschedule_gives_each_corpus_its_share():
    names = schedule({"a": 3.0, "b": 1.0}, 40, Random(1))
    assert (names.count("a"), names.count("b")) == (30, 10)


def test_the_pace_warms_up_and_ends_near_nothing():
    paces = [pace(step, 100) for step in range(100)]
    assert paces[0] < 0.2
    assert max(paces) == pytest.approx(1, abs=0.01)
    assert paces[-1] < 0.01


def test_a_recipe_changes_by_name_and_refuses_an_unknown_one():
    assert changed(Recipe(), {"steps": 5, "rename": 0.0}).chances.rename == 0
    with pytest.raises(ValueError, match=r"stepz.*known are"):
        changed(Recipe(), {"stepz": 5})


def test_spearman_takes_ties_at_their_average_rank():
    assert spearman(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.0])) == pytest.approx(1)
    assert spearman(np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])) == pytest.approx(np.sqrt(3) / 2)


def test_unit_vectors_are_cut_before_they_are_scaled():
    assert unit(np.array([[3.0, 4.0, 9.0]], np.float32), 2)[0] == pytest.approx([0.6, 0.8])


def test_an_interval_holds_its_mean():
    mean, low, high = interval([0.0, 1.0] * 50)
    assert low < mean == 0.5 < high


def test_a_better_adapter_is_not_replaced():
    better, worse = {"held_out/mine": (80.0, 70.0, 90.0)}, {"held_out/mine": (79.0, 69.0, 89.0)}
    assert "80.00" in refusal(better, worse, ["mine"])
    assert refusal(worse, better, ["mine"]) is None
    assert refusal(better, better, ["mine"]) is None
