"""A LangGraph agent whose nodes keep and search memories in the store that the graph was compiled with."""

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from cued.integrations.langgraph import CuedStore


def answer(state: MessagesState, *, store: BaseStore) -> dict:
    """Keep what the user says, and answer from what the store finds; a model would write the answer."""
    said = state["messages"][-1].text
    found = store.search(("mara", "facts"), query=said, limit=1)
    store.put(("mara", "facts"), str(len(store.search(("mara",), limit=100))), {"text": said})
    return {"messages": [AIMessage(f"I remember: {found[0].value['text']}" if found else "Noted.")]}


with CuedStore.from_conn_string("memories.db") as store:
    graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").compile(store=store)
    for words in ("I am allergic to hazelnuts.", "Which nuts must I avoid?"):
        print(graph.invoke({"messages": [HumanMessage(words)]})["messages"][-1].text)
