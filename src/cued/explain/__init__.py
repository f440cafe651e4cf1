"""Why: what became of each memory in a recall, where one comes from (`why`), what stood around it (`timeline`) or lies near (`map`)."""

from cued.explain.mapping import MeaningMap, Point, mapped
from cued.explain.telling import Explanation, Verdict, explain, verdict_on
from cued.explain.timeline import Timeline, timeline
from cued.explain.why import Node, Why, why

__all__ = ["Explanation", "MeaningMap", "Node", "Point", "Timeline", "Verdict", "Why", "explain", "mapped", "timeline", "verdict_on", "why"]
