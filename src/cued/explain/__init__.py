"""Why each memory came back or did not: the whole table of a recall, and the verdict on one memory."""

from cued.explain.telling import Explanation, Verdict, explain, verdict_on

__all__ = ["Explanation", "Verdict", "explain", "verdict_on"]
