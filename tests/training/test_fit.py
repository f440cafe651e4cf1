"""The recipes of the calibrations: what they may weigh, and that what ships is theirs. `python -m training.fit` fits them anew."""

import pytest

from cued.evaluation.calibrate import WEIGHED
from cued.policy.calibration import calibrations
from training.fit import RECIPES

FITTED = ("cued", "lexical")
"""The calibrations that were fitted on every genre."""


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_weighs_known_columns_and_states_some_of_them(name):
    recipe = RECIPES[name]
    assert set(recipe.stated) <= set(recipe.columns) <= set(WEIGHED)
    assert recipe.start.name == name


@pytest.mark.parametrize("name", FITTED)
def test_what_ships_weighs_what_its_recipe_says(name):
    recipe, shipped = RECIPES[name], calibrations()[name]
    assert list(shipped.weights) == [column for column in recipe.columns if column in shipped.weights]
    assert shipped.weights.items() >= recipe.stated.items()
    assert (shipped.about, shipped.latin_only, shipped.background_mean) == (
        recipe.start.about,
        recipe.start.latin_only,
        recipe.start.background_mean,
    )
