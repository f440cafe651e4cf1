"""An agent written for mem0, with one line changed: the import."""

from cued.integrations.mem0 import Memory  # was: from mem0 import Memory

memory = Memory("memories.db")


def chat(words: str, user_id: str) -> str:
    """The answer to what a user says, with what is remembered; a model would write it."""
    found = memory.search(words, filters={"user_id": user_id}, top_k=3)
    known = "\n".join(f"- {each['memory']}" for each in found["results"])
    answer = f"You told me:\n{known}" if known else "Noted."
    memory.add([{"role": "user", "content": words}], user_id=user_id, infer=False)
    return answer


for words in ("I am allergic to hazelnuts.", "Which nuts am I allergic to?"):
    print(chat(words, user_id="mara"))
memory.close()
