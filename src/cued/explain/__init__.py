"""Why: what became of each memory in a recall, where one comes from (`why`), and what stood around it (`timeline`)."""

from cued.explain.telling import Explanation, Verdict, explain, verdict_on
from cued.explain.timeline import Timeline, timeline
from cued.explain.why import Node, Why, why

__all__ = ["Explanation", "Node", "Timeline", "Verdict", "Why", "explain", "timeline", "verdict_on", "why"]
