"""A mixed stream: two people's chats, and a question on each line, in the words of someone who wants to know.

Some questions repeat the line, some only mean it: what a floor has to tell apart from the other person's questions.
"""

from tests.evaluation.made import write

IDA = [
    ("I play the cello in the orchestra of the town.", "Which instrument does Ida play?"),
    ("My sister Rosa is getting married in September.", "When is Rosa's wedding?"),
    ("We painted the kitchen yellow last weekend.", "What colour is the kitchen?"),
    ("The doctor said I should drink less coffee.", "What was Ida told to cut down on?"),
    ("I keep the spare key under the blue flower pot.", "Where is the spare key?"),
    ("Our dog Biscuit hates thunderstorms.", "What is Biscuit afraid of?"),
    ("I started learning Portuguese with an app.", "Which language is Ida studying?"),
    ("The car failed its inspection because of the brakes.", "Why did the car not pass?"),
    ("I always take the window seat on trains.", "Where does Ida like to sit when travelling by rail?"),
    ("Dad had his knee operated on in March.", "What surgery did Ida's father have?"),
    ("My favourite painter is Paula Rego.", "Whose paintings does Ida like best?"),
    ("I gave up my gym membership.", "Does Ida still go to the gym?"),
    ("The neighbours borrowed our ladder.", "Who has the ladder?"),
    ("I am reading a novel about whalers.", "What is the book about?"),
    ("My passport runs out in June.", "Until when is the passport valid?"),
    ("We want to see the northern lights one day.", "What trip does Ida dream of?"),
    ("The landlord raised the rent by eighty euros.", "How much more does the flat cost now?"),
    ("I cannot stand coriander.", "Which herb does Ida dislike?"),
    ("Tuesday evenings I sing in a choir.", "What does Ida do on Tuesdays?"),
    ("Grandmother's clock stopped at ten past four.", "What happened to the clock?"),
]
TOM = [
    ("The web shop runs on a server in Frankfurt.", "Where is the web shop hosted?"),
    ("We moved the invoices from MySQL to Postgres.", "Which database holds the invoices?"),
    ("Deploys are frozen until the audit is over.", "When can we deploy again?"),
    ("Nina reviews every change to the payment code.", "Who looks at changes in payments?"),
    ("The nightly backup takes forty minutes.", "How long does the backup need?"),
    ("Staging broke because the certificate had expired.", "What was the reason for the staging outage?"),
    ("Customers in Norway pay no delivery fee.", "Is shipping free for Norwegians?"),
    ("The logo must never be smaller than twelve pixels.", "What is the least size of the logo?"),
    ("I turned off the newsletter for old accounts.", "Do inactive users still get the newsletter?"),
    ("The search index is rebuilt every Sunday.", "How often is the index made anew?"),
    ("Support answers within four hours on weekdays.", "How fast is support?"),
    ("Our biggest client is a chain of bakeries.", "Who buys the most from us?"),
    ("The mobile app still uses the old login.", "Which part has not moved to the new login?"),
    ("Passwords are hashed with argon2.", "How do we store passwords?"),
    ("Team lunch is on the first Friday of the month.", "When do we eat together?"),
    ("The printer on the third floor jams with thick paper.", "What is wrong with the printer?"),
    ("We write commit messages in English.", "In which language are commits described?"),
    ("The intern found a leak in the image cache.", "Who discovered the memory problem?"),
    ("Prices include tax everywhere but in Switzerland.", "Where are prices shown without tax?"),
    ("Feature flags live in a spreadsheet, sadly.", "Where are the feature flags kept?"),
]


def stream(folder):
    """The data set, written into the folder."""
    memories, queries = [], []
    for tenant, pairs in (("ida", IDA), ("tom", TOM)):
        for place, (text, asked) in enumerate(pairs):
            name, session = f"{tenant}-{place}", f"{tenant}-{place // 5}"
            said = {"session": session, "turn": place % 5, "speaker": tenant.title(), "ts": f"2025-01-{place + 1:02}T10:00:00"}
            memories.append({"id": name, "tenant": tenant, "text": text, **said})
            queries.append({"id": f"q-{name}", "tenant": tenant, "query": asked, "asked_at": "2025-03-01T10:00:00", "gold_ids": [name]})
    return write(folder, memories, queries)
