"""What asks for advice or orders a piece of work, and what tells a leaning."""

import pytest

from cued.text.intent import leans, orders, seeks, sought


@pytest.mark.parametrize(
    "cue",
    [
        "Recommend a novel",
        "What should I cook tonight?",
        "Can you find a hotel?",
        "help me pack",
        "any tips for Rome?",
        "What shall we cook?",
    ],
)
def test_a_request_seeks(cue):
    assert seeks(cue)


@pytest.mark.parametrize(
    "cue", ["Where do I keep the key?", "Which paint did we choose?", "Can you shorten this?", "How do I tie a tie?", "ok", ""]
)
def test_a_question_about_what_is_known_does_not(cue):
    assert not seeks(cue)


@pytest.mark.parametrize(
    "cue",
    [
        "Write a letter to the landlord",
        "could you please draft a reply to Tom?",
        "We need to book a table",
        "cook something for Mira",
        "Let's cook pasta for everyone",
        "Buy sweets for the children",
        "add a test for the importer",
        "implement the retry that we spoke of",
    ],
)
def test_a_piece_of_work_is_ordered(cue):
    assert orders(cue)


@pytest.mark.parametrize(
    "cue", ["Book club", "Cook", "the order of the talks", "Who will write the report?", "Send it", "Make it shorter", ""]
)
def test_what_only_begins_like_an_order_is_none(cue):
    assert not orders(cue)


@pytest.mark.parametrize(
    "text",
    [
        "I prefer trains.",
        "I can't stand coriander.",
        "She is vegan.",
        "I don't like long books.",
        "My favourite film is M.",
        "Nadia likes short letters.",
        "The user wants answers without bullet points.",
        "Found the app too slow, back to paper.",
    ],
)
def test_a_preference_leans(text):
    assert leans(text)


@pytest.mark.parametrize("text", ["The bus is blue.", "Mia was born in May.", "Mia wants to move in May.", ""])
def test_a_plain_fact_does_not(text):
    assert not leans(text)


@pytest.mark.parametrize("text", ["The user asked not to add dependencies.", "User wants named exports."])
def test_what_the_user_is_said_to_want_or_to_have_asked_for_leans(text):
    assert leans(text)


def test_a_word_of_a_command_leans_to_nothing():
    assert not leans("After a merge run `pnpm install --lockfile-only` and commit.")
    assert leans("Install with the lockfile only.")


@pytest.mark.parametrize("cue", ["Find a hotel in Rome", "Set up a call with Tom", "put together some slides"])
def test_what_is_to_be_found_or_set_up_is_ordered(cue):
    assert orders(cue)


@pytest.mark.parametrize(
    "text",
    [
        "Lactose gives me cramps.",
        "Horror films keep her awake.",
        "Mum can't climb stairs.",
        "Do not book anything before ten.",
        "At most 50 euros.",
        "Physio says no running.",
        "She gave up coffee.",
        "I am cutting down on sugar.",
    ],
)
def test_what_somebody_cannot_do_or_is_done_to_them_leans(text):
    assert leans(text)


@pytest.mark.parametrize(
    ("cue", "kind"),
    [
        ("Schlag mir ein Geschenk für Anke vor.", "utterance"),
        ("Welchen Kuchen soll ich für Jana backen?", "utterance"),
        ("Such einen Film aus", "utterance"),
        ("Was hast du mir empfohlen?", ""),
        ("Wo wohnt Jana?", ""),
        ("Schreib einen Brief an den Vermieter", "order"),
        ("Der Brief", ""),
        ("Que puis-je offrir à Paul ?", "utterance"),
        ("Propose un dessert pour Léo.", "utterance"),
        ("Qu'est-ce que tu m'as recommandé ?", ""),
        ("Réserve-nous une table", "order"),
        ("Où habite Léo ?", ""),
        ("¿Qué bebida le llevo a Marta?", "utterance"),
        ("Recomiéndame una novela", "utterance"),
        ("¿Qué me recomendaste?", ""),
        ("Escribe una carta al casero", "order"),
        ("Qu'est-ce qu'on pourrait regarder ce soir ?", "utterance"),
        ("Que cuisiner pour ma belle-mère ?", "utterance"),
        ("Propón un concierto para mi cumpleaños", "utterance"),
        ("¿Dónde vive Marta?", ""),
    ],
)
def test_german_french_and_spanish_ask_for_advice_and_order_too(cue, kind):
    assert sought(cue, "", foreign=True) == kind


@pytest.mark.parametrize(
    "text",
    [
        "Jana ist gegen Haselnüsse allergisch.",
        "Lena verträgt keine Kuhmilch.",
        "Er kann mit dem Knie nicht knien.",
        "Paul préfère la bière au vin.",
        "Léo ne supporte pas le lactose.",
        "A Marta no le gusta el vino.",
        "Hugo es celíaco.",
        "Fisch esse ich nicht.",
    ],
)
def test_a_preference_in_german_french_or_spanish_leans(text):
    assert leans(text, foreign=True)


@pytest.mark.parametrize("text", ["Der Bus ist blau.", "Le bus est bleu.", "El autobús es azul."])
def test_a_plain_fact_in_german_french_or_spanish_does_not(text):
    assert not leans(text, foreign=True)
