"""One conversation of forty lines, and questions whose answer is one of them: what every adapter is tried with."""

SAID = """
Hi, I am Mara, I just moved to Trondheim for a new job.
Welcome, Mara! What will you be doing there?
I start as a marine biologist at the aquaculture institute on Monday.
That sounds exciting. Do you already have a place to live?
I rent a small flat above a bakery in the Bakklandet quarter.
Fresh bread every morning, then. Is there anything I should keep in mind for recipes?
I am allergic to hazelnuts, even traces make me ill.
Noted, no hazelnuts in anything I suggest.
My sister Ines is visiting in the second week of May.
Shall I look for things to do together?
She uses a wheelchair, so places need to be accessible.
I will only suggest accessible places.
For travel I always take the train, I get seasick on ferries.
Trains it is, also for day trips.
My laptop runs Fedora Linux and I write my analyses in R.
Good to know for code examples.
Please never use abbreviations in code that I have to read.
I will spell names out in code.
The salmon data set lives in the folder data/salmon_2026.
I will refer to that folder.
My doctor told me to walk eight thousand steps a day.
I can remind you in the evening.
I meet the climbing group every Thursday at half past six.
Thursday evenings are taken, then.
My supervisor is called Professor Haugen and prefers short emails.
I will keep drafts to Professor Haugen short.
The budget for the field trip is forty thousand kroner.
I will keep the plan within forty thousand kroner.
I adopted a grey cat from the shelter and named him Pixel.
Pixel is a lovely name for a grey cat.
My bank card was blocked last week, the new one has a limit.
I hope the new card works well.
On Sundays I call my grandmother in Porto, she speaks only Portuguese.
I can help with Portuguese phrases.
I finished the first draft of the grant application yesterday.
Congratulations on the first draft.
The password for the printer hangs on the wall in room 214.
I will not repeat passwords, only the room.
From next month on I work from home on Wednesdays.
Wednesdays at home from next month, understood.
""".strip().splitlines()

TURNS = [{"role": "assistant" if number % 2 else "user", "content": line} for number, line in enumerate(SAID)]

ASKED = {
    "Which nuts is Mara allergic to?": "I am allergic to hazelnuts, even traces make me ill.",
    "Which operating system does her laptop run?": "My laptop runs Fedora Linux and I write my analyses in R.",
    "When does the climbing group meet?": "I meet the climbing group every Thursday at half past six.",
    "What is the name of the cat from the shelter?": "I adopted a grey cat from the shelter and named him Pixel.",
    "In which folder is the salmon data set?": "The salmon data set lives in the folder data/salmon_2026.",
    "Why does she avoid ferries?": "For travel I always take the train, I get seasick on ferries.",
}
"""Each question with the line that answers it."""
