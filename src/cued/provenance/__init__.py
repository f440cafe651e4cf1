"""Where memories come from and what became of them: `why` walks the links of one, `timeline` shows what stood around it."""

from cued.provenance.around import Timeline, timeline
from cued.provenance.tree import Node, Why, is_stale, why

__all__ = ["Node", "Timeline", "Why", "is_stale", "timeline", "why"]
