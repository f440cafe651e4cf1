"""Which kind of value a cue asks for, and which texts may have one."""

import pytest

from cued.text.kinds import asked_kind, may_have

ASKED = [
    ("What is Mira's phone number?", "phone"),
    ("what's the mobile number of Dr Voss", "phone"),
    ("Wie ist die Telefonnummer von Frau Dr. Seidel?", "phone"),
    ("¿Cuál es el teléfono de Carmen?", "phone"),
    ("What's Tom's e-mail address?", "e-mail"),
    ("What is the address of the hotel?", "address"),
    ("What is the Wi-Fi password?", "password"),
    ("What's the door code again?", "password"),
    ("How much did the sofa cost?", "price"),
    ("Was kostet die Waldschule?", "price"),
    ("How old is Leyla?", "age"),
    ("Quel âge a Julien ?", "age"),
    ("When is Nils's birthday?", "birthday"),
    ("How many hives does Henrik keep?", "count"),
    ("How long does the train to Bergen take?", "length"),
    ("How deep is the pond?", "size"),
    ("What shoe size does Nils have?", "size"),
    ("What colour is the shed?", "colour"),
    ("Welche Telefonnummer hat Herr Sommer?", "phone"),
    ("What is Mira's passport number?", "number"),
    ("What is Mira's last name?", "surname"),
    ("What's my blood type?", "blood"),
    ("How much does Mira earn?", "pay"),
    ("What is my sister's name?", "name"),
    ("What's Mira's new cat called?", "name"),
    ("What is the name of our plumber?", "name"),
    ("What is the new project called?", None),
    ("What is the name of the branch?", None),
    ("Where does Mira live?", "home"),
    ("Which city is Kestrel based in?", "home"),
    ("Where was Mira born?", "birthplace"),
    ("Where does Mira work?", None),
    ("When does Mira move?", None),
    ("Is there a password on the Wi-Fi?", None),
    ("What is a good price for a sofa?", None),
    ("What is wrong with the phone number field?", None),
    ("What is the reason for the password?", None),
    ("I changed my phone number.", None),
    ("What is Mira's phone number and where does she live?", None),
    ("What is the dress code?", None),
    ("How old is my boy, roughly?", None),
    ("How are you?", None),
    ("", None),
]
ANSWERS = [
    ("Was kostet die Putzkraft?", "Putzkraft: dienstags ab 18 Uhr, 25 die Stunde."),
    ("How much does the choir cost?", "The choir is 12 a month."),
    ("How old is Mira?", "Mira is 34 this month."),
    ("How old is Mira?", "Mira has been alive for two years."),
    ("How much does Mira earn?", "Mira got a raise."),
    ("What is Mira's passport number?", "Passport of Mira: C01X0006H."),
    ("What is Mira's last name?", "Mira Costa plays the cello."),
    ("What is Mira's last name?", "Mira is Mrs Costa."),
    ("What is Mira's blood type?", "Mira is 0 negative."),
    ("Where does Mira live?", "Mira is in Porto."),
    ("Where does Mira live?", "Mira adora a sua Lisboa."),
    ("Where does Mira live?", "Mira: Porto"),
    ("How much did the bike cost?", "The bike was 1990."),
    ("How much do the tickets cost?", "Tickets at 20 each."),
    ("How old is Mira?", "Mira is 34 as of May."),
    ("What is Mira's last name?", "Costa, Mira"),
    ("What is Mira's blood type?", "Mira is type O."),
    ("Where was Mira born?", "Mira is Portuguese."),
    ("What is Mira's phone number?", "Reach Mira at 030 555 0181."),
    ("What is Mira's phone number?", "Mira's number is on the fridge."),
    ("What is Mira's phone number?", "Mira has no phone."),
    ("What is Mira's e-mail address?", "Write to mira@porto.example."),
    ("What is Mira's e-mail address?", "Mira doesn't read mail."),
    ("What is Mira's address?", "Mira lives in Porto."),
    ("What is Mira's address?", "Mira wohnt in der Karlstraße."),
    ("What is the Wi-Fi password?", "For the Wi-Fi use tangerine."),
    ("What is the Wi-Fi password?", "Wi-Fi: tangerine"),
    ("How much did the sofa cost?", "The sofa was a present from Mum."),
    ("How much did the sofa cost?", "We got the sofa for free."),
    ("How much did the sofa cost?", "The sofa was two hundred."),
    ("How old is Leyla?", "Leyla was born in 2004."),
    ("How old is Leyla?", "Leyla turned nineteen in May."),
    ("How old is Lev?", "Lev starts school in September."),
    ("How old is the house?", "The house is Victorian."),
    ("Wie alt ist Oma Gerda?", "Oma Gerda wird achtzig Jahre alt."),
    ("When is Nils's birthday?", "Nils was born on Christmas Eve."),
    ("How many cats does Mira have?", "Mira has a cat called Biscuit."),
    ("How many children do I have?", "My children are Anna and Ben."),
    ("How long does the train take?", "The train takes all day."),
    ("How deep is the pond?", "The pond is rather shallow."),
    ("What size does Nils wear?", "Nils wears M."),
    ("How far is the lake?", "The lake is a short walk from here."),
    ("What colour is the shed?", "We repainted the shed."),
    ("What colour is the car?", "The car is burgundy."),
    ("What is my sister's name?", "Ines is my sister."),
    ("What is my sister's name?", "My sister Ines paints."),
    ("What is my sister's name?", "my sister is ines"),
    ("What is my sister's name?", "We call my sister Bee."),
    ("How much did the ring cost?", "The ring was 300 pesos."),
    ("How much does the choir cost?", "The choir is ten euros."),
    ("What is Mira's blood type?", "Mira has blood group B."),
    ("What is Mira's address?", "Mira: 12 Mill Road"),
    ("Quel est le numéro de téléphone de Léo ?", "Numéro de Léo : au dos du carnet."),
]
LACKING = [
    ("What's the Lindqvists' phone number?", "The spare key is with the Lindqvists at number 14."),
    ("Was kostet die Putzkraft?", "Die Putzkraft kommt dienstags ab 18 Uhr."),
    ("How much does the choir cost?", "The choir meets on 3 October at 19:30."),
    ("How much does the course cost?", "The course began in 2024 and takes 6 weeks."),
    ("How old is Mira?", "Mira has two flatmates and 3 cats."),
    ("How much does Mira earn?", "Mira is a nurse."),
    ("What is Mira's passport number?", "Mira lost her passport."),
    ("What is Mira's last name?", "Tom is seeing somebody called Mira."),
    ("What is Mira's blood type?", "Mira is allergic to penicillin."),
    ("Where does Mira live?", "Mira loves pistachios."),
    ("Where was Mira born?", "Mira works at a library."),
    ("What is Mira's phone number?", "Mira lives in Porto."),
    ("What is Mrs Okafor's phone number?", "Mrs Okafor plays the cello."),
    ("What is Mr Brandt's e-mail address?", "Mr Brandt's phone number is 030 555 0181."),
    ("What is Petra Lang's address?", "The plumber is called Petra Lang."),
    ("What is the password of the website?", "The website is hosted at Hetzner."),
    ("How much did the roses cost?", "The roses came from the nursery in Hillerup."),
    ("How old is the apple tree?", "The apple tree by the gate is a Boskoop."),
    ("How deep is the pond?", "A heron takes the fish from the pond."),
    ("How tall is Nils?", "Nils's teacher is Ms Harlow."),
    ("What colour is Mira's bike?", "Mira's bike is in the cellar."),
    ("When is Tom's birthday?", "Tom studies law in Leuven."),
    ("What is my sister's name?", "My sister paints on Sunday mornings."),
    ("What is my sister's name?", "Don't mention the divorce to my sister."),
    ("How much does the choir cost?", "The choir has ten singers and 4 concerts."),
    ("How much does the course cost?", "The course is for six people."),
    ("How much does Mira earn?", "Mira is a person of feeling."),
    ("What is my blood type?", "Blood pressure in the morning, 142 over 91."),
    ("What is Dr Voss's address?", "Dr Voss prescribed 5 mg."),
    ("Quel est le numéro de téléphone de Léo ?", "Les clés de Léo sont au numéro 12."),
    ("Wie ist die Telefonnummer von Oma?", "Mit Oma am Telefon laut sprechen."),
]


@pytest.mark.parametrize(("cue", "kind"), ASKED)
def test_a_kind_is_asked_for_by_name_and_for_nothing_else(cue, kind):
    assert asked_kind(cue) == kind


@pytest.mark.parametrize(("cue", "text"), ANSWERS)
def test_whatever_could_answer_may_have_the_kind(cue, text):
    assert may_have(asked_kind(cue), text)


@pytest.mark.parametrize(("cue", "text"), LACKING)
def test_what_has_nothing_of_the_kind_lacks_it(cue, text):
    assert not may_have(asked_kind(cue), text)


def test_a_long_text_may_have_anything():
    assert may_have("phone", "We walked along the river. " * 40)
