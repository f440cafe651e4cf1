"""adjust: what one recall changes of its policy."""

import pytest

from cued.errors import InputError
from cued.policy.adjust import HEIGHTS, Adjustment, adjust
from cued.policy.presets import names, preset


@pytest.mark.parametrize(("name", "at"), HEIGHTS.items())
def test_a_floor_may_be_named(name, at):
    assert adjust(preset("cued"), Adjustment(floor=name)).floor.at == at


def test_the_default_is_the_balanced_floor_and_eager_and_strict_lie_beside_it():
    assert HEIGHTS["eager"] < HEIGHTS["balanced"] == preset("cued").floor.at < HEIGHTS["strict"]


def test_an_unknown_name_is_refused_with_those_that_are_known():
    with pytest.raises(InputError, match="eager, balanced, strict"):
        adjust(preset("cued"), Adjustment(floor="loud"))


def test_a_name_says_how_relevant_so_a_floor_on_something_else_takes_numbers_alone():
    other = next(policy for policy in map(preset, names()) if policy.floor.on != "relevance")
    with pytest.raises(InputError, match=f"floor is on {other.floor.on}"):
        adjust(other, Adjustment(floor="eager"))
    assert adjust(other, Adjustment(floor=0.3)).floor.at == 0.3
