"""A LangChain chain that puts recalled memories before the question; a scripted model stands in for the LLM."""

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

import cued
from cued.integrations.langchain import CuedRetriever

with cued.open("memories.db") as memories:
    mara = memories.tenant("mara")
    mara.remember("Mara is allergic to hazelnuts.")
    mara.remember("Mara takes the train, for ferries make her seasick.")

    retriever = CuedRetriever(tenant=mara, k=3)
    prompt = ChatPromptTemplate.from_messages([("system", "What is known:\n{known}"), ("user", "{question}")])
    model = GenericFakeChatModel(messages=iter([AIMessage("Leave out the hazelnuts.")]))
    known = retriever | (lambda documents: "\n".join(document.page_content for document in documents))
    chain = {"known": known, "question": RunnablePassthrough()} | prompt

    asked = chain.invoke("Which nuts is Mara allergic to?")
    print(asked.messages[0].text)
    print((model | StrOutputParser()).invoke(asked))
