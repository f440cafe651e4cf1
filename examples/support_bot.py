"""A support bot with tenants: each customer's memories are its own, and nobody's answer is made of another's.

It runs without a key: `answer` says what a model would write. A token, a login or a phone number says who the customer is, never the model.

    python examples/support_bot.py
"""

import cued

CHATS = {
    "ada@example.com": (
        "My router is a Fritzbox 7590 and the light blinks red.",
        "The technician may come on Tuesdays only, I work on the other days.",
    ),
    "bob@example.com": ("My router is a Speedport Smart 4, and my contract number is 4711.",),
}


class SupportBot:
    """A bot that knows what a customer has told it before, and says so when it knows nothing."""

    def __init__(self, memories: cued.Memories) -> None:
        """Serve all customers from one store."""
        self._memories = memories

    def hear(self, customer: str, words: str, *, chat: str) -> None:
        """Keep what a customer says, as a turn of the chat."""
        self._memories.tenant(customer).remember_turns([{"role": "user", "content": words}], session=chat)

    def answer(self, customer: str, question: str) -> str:
        """The answer; a model would write it from the block, and be given nothing where nothing is relevant."""
        recall = self._memories.tenant(customer).recall(question, budget_tokens=400)
        if not recall.memories:
            return "I have nothing about that in your file. Let me ask a colleague."
        return "You told us: " + " / ".join(each.text for each in recall)

    def leave(self, customer: str) -> int:
        """How many memories were erased, down to the last byte, for a customer who leaves."""
        return self._memories.tenant(customer).erase_everything().memories


def main() -> None:
    """Two customers, the same questions, two answers; then one of them leaves."""
    with cued.open("support.db") as memories:
        bot = SupportBot(memories)
        for customer, lines in CHATS.items():
            for line in lines:
                bot.hear(customer, line, chat="2026-11-03")
        for customer in CHATS:
            print(customer, "→", bot.answer(customer, "Which router do I have?"))
        print("bob@example.com →", bot.answer("bob@example.com", "On which days may the technician come?"))
        print("erased:", bot.leave("ada@example.com"))
        print("ada@example.com →", bot.answer("ada@example.com", "Which router do I have?"))


if __name__ == "__main__":
    main()
