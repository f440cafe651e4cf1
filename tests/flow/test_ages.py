"""ages: how long ago, in words."""

import pytest

from cued.flow.forms import ago as in_words
from tests.building import NOW, ago


@pytest.mark.requirement("F9")
@pytest.mark.parametrize(
    ("span", "words"),
    [
        ({"seconds": 59}, "just now"),
        ({"minutes": 1}, "1 minute ago"),
        ({"minutes": 59}, "59 minutes ago"),
        ({"hours": 5}, "5 hours ago"),
        ({"days": 1}, "1 day ago"),
        ({"days": 13}, "13 days ago"),
        ({"days": 14}, "2 weeks ago"),
        ({"days": 60}, "9 weeks ago"),
        ({"days": 90}, "3 months ago"),
        ({"days": 729}, "24 months ago"),
        ({"days": 730}, "2 years ago"),
        ({"days": 4000}, "11 years ago"),
        ({"seconds": -1}, ""),
    ],
)
def test_an_age_is_told_in_the_unit_that_a_person_would_choose(span, words):
    assert in_words(ago(**span), NOW) == words
