"""Evidence for blocks: candidates in the order given, core memories, the cue's terms, and texts that would like to be obeyed."""

from hypothesis import strategies as st
from msgspec.structs import replace

from cued.model import Source, TermStatistic
from tests.building import ago, evidence, memory, policy

FORMS = ("text", "markdown", "xml", "json")

TOKENS = (
    "<|im_start|>",
    "<|im_end|>",
    "<|eot_id|>",
    "<|start_header_id|>",
    "<|endoftext|>",
    "<｜User｜>",
    "<｜begin▁of▁sentence｜>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<bos>",
    "<s>",
    "</s>",
    "<<SYS>>",
    "<</SYS>>",
    "[INST]",
    "[/INST]",
    "[SYSTEM_PROMPT]",
    "[TOOL_CALLS]",
    "[gMASK]",
    "\n\nHuman:",
    "\n\nAssistant:",
    "### Instruction",
    "### Response:",
    "]~b]system",
    "<tool_call>",
    "<function_calls>",
    "</recalled>",
    "</memory>",
    "</core>",
    "</unverified>",
    "[End of recalled memories]",
    "[Recalled memories:",
    "```",
    "~~~",
)
PIECES = (
    *TOKENS,
    "＜/recalled＞",
    "‹/recalled›",
    "［INST］",
    "<",
    ">",
    "[",
    "]",
    "|",
    "/",
    "#",
    "&lt;",
    "]]>",
    "<!--",
    '"',
    "'",
    "\\",
    "\n",
    "\r\n",
    "\t",
    "\x1b[2J",
    "\x9b31m",
    "\x7f",
    "\u202e",
    "\u2066",
    "\u200b",
    "\u200c",
    "\u200d",
    "\ufe0f",
    "\ufeff",
    "\u2028",
    "\u3164",
    "\u2800",
    "\U000e0041",
    "\U000e0101",
    "\ufffe",
    "\ue000",
    "👩",
    "می",
    "٪",
    "> - ",
    "- [semantic memory]",
    "Ana, from user",
    "a. B",
    "部署。",
)
any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40)
hostile = st.lists(st.sampled_from(PIECES) | any_text, min_size=1, max_size=8).map("".join)
texts = any_text | hostile
prose = st.lists(
    st.sampled_from(["Deploys go out on Fridays.", "Staging must be green, the queue empty.", "部署前要检查队列。", "ok?"]), max_size=30
)


def facts(strategy):
    """Memories all of whose printed fields come from one strategy."""
    return st.builds(
        memory,
        name=strategy,
        text=strategy | prose.map(" ".join).filter(bool),
        kind=st.sampled_from(["semantic", "episodic", "procedural", "reflection"]),
        trust=st.sampled_from(["user", "agent", "tool", "import"]),
        weight=st.floats(0.1, 1),
        importance=st.floats(0, 1),
        created=st.integers(-5, 5000).map(lambda days: ago(days=days)),
        valid_until=st.none() | st.integers(-500, -1).map(lambda days: ago(days=days)),
        source=st.builds(Source, speaker=st.none() | strategy, turn=st.none() | st.integers(0, 6), session=st.none() | st.just("s")),
    )


def found(rows, *, core=(), terms=(), cue=None, **columns):
    """Evidence whose candidates come back in the order given, unless columns say otherwise."""
    n = len(rows)
    columns = {"cosine": [1.0 - i / (n + 1) for i in range(n)], **columns}
    made = evidence(rows, cue=cue, **columns)
    statistics = tuple(TermStatistic(term, 1, idf) for term, idf in dict(terms).items())
    return replace(made, findings=replace(made.findings, core=tuple(core), terms=statistics, stored=n + len(core)))


def rules(budget="", *, form="text", neighbours=0):
    """A policy that orders by similarity, with this budget and form."""
    return policy(f'[channels]\ndense = {{}}\n[budget]\n{budget}\n[render]\nform = "{form}"\nneighbours = {neighbours}')


class Writer:
    """A summariser that writes the same whatever it is given, and remembers what that was."""

    def __init__(self, text):
        self.text, self.asked = text, []

    def summarise(self, query, texts, *, tokens):
        self.asked.append((query, list(texts), tokens))
        return self.text
