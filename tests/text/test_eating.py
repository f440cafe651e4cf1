"""What is asked for to be eaten, and what somebody must not eat."""

import pytest

from cued.text.intent import must_not_eat, speaks_of_food


@pytest.mark.parametrize(
    "cue",
    [
        "Suggest a Thai place for dinner",
        "Find me a recipe for satay sauce",
        "Schreib die Einkaufsliste",
        "Schlag einen Nachtisch für Jonas vor",
        "Propose-moi un restaurant pour ce soir",
        "¿Qué puedo cocinar para Marta?",
        "Book me a table for two",
        "Reserviere uns einen Tisch",
        "Réserve-nous une table",
        "Resérvame una mesa",
    ],
)
def test_a_meal_is_spoken_of(cue):
    assert speaks_of_food(cue)


@pytest.mark.parametrize(
    "cue", ["Suggest a film for tonight", "Create a table for the bookings", "Welches Buch soll ich lesen?", "Que faire à Paris ?", ""]
)
def test_whoever_asks_for_something_else_speaks_of_none(cue):
    assert not speaks_of_food(cue)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I'm allergic to peanuts, badly, I carry an EpiPen.", "ill"),
        ("Hugo can't eat gluten.", "strict"),
        ("Jonas verträgt keine Milchprodukte.", "strict"),
        ("Tim hat eine Nussallergie.", "ill"),
        ("Camille est cœliaque.", "ill"),
        ("Elle ne mange plus de viande.", "strict"),
        ("Soy alérgico a los frutos secos.", "ill"),
        ("Marta no come carne.", "strict"),
        ("Paula is vegan, and allergic to cats.", "strict"),
        ("I am allergic to penicillin.", ""),
        ("Oskar has a cat allergy.", ""),
        ("I love peanuts.", ""),
        ("Er isst gern Fisch.", ""),
        ("She has never been to Rome.", ""),
    ],
)
def test_what_keeps_somebody_from_eating_is_told_apart_from_other_allergies_and_tastes(text, why):
    assert must_not_eat(text) == why
