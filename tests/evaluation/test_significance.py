import numpy as np
import pytest

from cued.significance import intervals, paired, share_intervals


def test_the_interval_of_a_share_is_about_two_standard_errors_wide():
    values = np.array([1.0] * 60 + [0.0] * 140)
    (low, high), (same_low, same_high) = intervals(np.stack([values, values], axis=1))
    error = (0.3 * 0.7 / 200) ** 0.5
    assert low == pytest.approx(0.3 - 1.96 * error, abs=0.01)
    assert high == pytest.approx(0.3 + 1.96 * error, abs=0.01)
    assert (low, high) == (same_low, same_high)


def test_the_interval_covers_the_true_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(200):
        ((low, high),) = intervals((rng.random(150) < 0.4).astype(float))
        covered += low <= 0.4 <= high
    assert 180 <= covered <= 199


def test_a_constant_has_no_width():
    assert intervals([1.0] * 5) == [(1.0, 1.0)]


def test_thirty_of_thirty_are_not_certain():
    (ones,), (noughts,) = share_intervals([1.0] * 30), share_intervals([0.0] * 30)
    assert ones == pytest.approx((0.025 ** (1 / 30), 1.0))
    assert noughts == pytest.approx((0.0, 1 - 0.025 ** (1 / 30)))
    assert share_intervals([1.0, 0.0, 1.0]) == intervals([1.0, 0.0, 1.0])


def test_figures_repeat_exactly():
    values = np.random.default_rng(0).random((50, 3))
    assert intervals(values) == intervals(values)
    assert paired(values[:, 0], values[:, 1]) == paired(values[:, 0], values[:, 1])


def test_a_clear_gain_is_significant_and_its_interval_is_above_nought():
    rng = np.random.default_rng(1)
    left = rng.random(200)
    found = paired(left, left + 0.1 + 0.05 * rng.standard_normal(200))
    assert found.mean == pytest.approx(0.1, abs=0.02)
    assert found.ci[0] > 0.05
    assert found.p < 0.001


def test_no_difference_is_no_evidence():
    assert paired([0.0, 1.0, 0.5], [0.0, 1.0, 0.5]).p == 1.0


def test_noise_is_called_significant_about_once_in_twenty():
    rng = np.random.default_rng(5)
    called = sum(paired(rng.random(60), rng.random(60)).p < 0.05 for _ in range(100))
    assert called <= 12


def test_a_gain_on_three_of_three_questions_has_the_p_of_its_coin_flips():
    # Eight sign patterns, two of which are as far from nought.
    assert paired([0.0, 0.0, 0.0], [1.0, 1.0, 1.0]).p == pytest.approx(2 / 8, abs=0.02)
