"""The middle of a recall, pure: the same evidence and policy give the same bytes.

`cue` comes before the reading and `settle` after the answer; between them `ORDER` is the flow, one module a stage.
"""

from types import ModuleType

from cued.flow import budget, diversify, floor, fuse, relevance, render, rerank, score

ORDER: tuple[ModuleType, ...] = (fuse, relevance, score, rerank, floor, diversify, budget, render)
"""The stages of `decide`, in order; each module's `run(table)` is the stage."""
