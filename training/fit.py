"""The calibrations that ship, fitted anew: `python -m training.fit STORES [NAME …] [--write]`.

STORES is what `python -m training.stores` made. Without `--write` the fits are compared with the files in `policy/calibration`, and a
difference ends the command with status 1; with it they are written. LongMemEval, LifeBench and MemoryBank are read from CUED_DATA.
"""

import argparse
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from cued.evaluation.cache import default_folder
from cued.evaluation.calibrate import FittingData, FittingGoal, as_lines, calibration_toml, fitted
from cued.policy.spec import Calibration

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "src" / "cued" / "policy" / "calibration"
DATA = Path(os.environ.get("CUED_DATA", ROOT.parent / "shared" / "data"))
OPEN = ("lifebench_en", "lifebench_zh", "memorybank", "longmemeval")
"""The development data that may be fitted on."""
MADE_OF = "fitted on stores of permissive pairs, {}LifeBench (Apache-2.0) and MemoryBank (MIT) by training.fit, which states some."
CODE = {
    "commit_subject_body": 3.0, "reports_commit_subject_body": 3.0, "tldr_pages": 2.0, "rust_errors_lints": 2.0,
    "reports_rust_errors_lints": 2.0,
}  # fmt: skip
SIGHTED = {
    "mixed": 12.0, "lifebench_en": 8.0, "memorybank": 2.0, "times": 2.0, "requests": 10.0, "other_words": 2.0, **CODE
}  # fmt: skip
UNLETTERED = ("ar_", "zh_", "ja_", "facts_zh", "facts_ja", "facts_ru", "_ja", "_ko", "_zh", "_ru", "_hi", "_bn")
"""Parts of the names of stores in another script than Latin: those that words alone decide on."""
WORDS = {"mixed": 6.0, "longmemeval": 3.0, "lifebench_en": 2.0, "lifebench_zh": 2.0, "memorybank": 2.0, "times": 1.0}
KINDS = (
    "voice_length crowd turn foreign foreign_coverage note_matched cue_length note_length strangers personal mine bears code "
    "technical_matched astray another echo lacking quoted"
)
# Our requests are few: so much that over half of them show a leaning of their topic. Stores of code are silent to 99 of 100 far
# questions with what a fit gives them: so much that it is as many as elsewhere. Hardly a corpus names who speaks: twice what a fit
# gives. None asks about a stranger what it tells of somebody else, or asks twice: so much that either is silent. One corpus alone asks for
# a time, in a few templates, and all its answers are notes: what a fit gives loses one in ten questions about times in other words. And a
# fit sees the best of a question alone: what comes along beside the answer among notes is held back by so much that it is less than one.
# And no data set asks beside a log: so much that what has an identifier out of it is found whatever is said of it ("fix this").
QUOTED = {"quoted": 4.0}
STATED = {"bears": 2.2, "code": 1.5, "astray": -2.5, "another": -5.0, "echo": -8.0, "lacking": -0.95, "timed": 4.0, **QUOTED}
BEHIND = {"behind": -3.0}
# Nor is there a store in which one name stands in every note: so much that what has the name alone in common is not shown.
SHARED, PLAIN_SHARED = {"shared": -25.0}, {"shared": -15.0}
# Few conversations are fitted on, and they disagree: what an agent replied to counts nothing in one and 9 in another, and what stands
# beside a turn, its question and its words count more or less by a third. An agent's long turns are hardly in any of them.
REPLIED = {"replied": 6.0}
BESIDE = {"lift": 11.0, "coverage": 1.8, "answers": 2.2, "window": 2.4, "timed": 4.6, "turn": -0.1, "voice_length": -1.75}
# Half of the stores are small, where nothing stands apart: so much that the floor means the same in large ones.
APART = {"apart": 2.8}
# LongMemEval takes longer to embed than all else together, and little else has long turns of agents: where there are vectors it is left
# out, and what such a turn's length costs is what a fit on it gave, for other models than our own.
LONG, VOICE = ("longmemeval",), {"voice_length": -1.3}


@dataclass(frozen=True)
class Recipe:
    """What makes a calibration: its start, the embedders, the columns, what is stated, and what each data set counts or is left out."""

    start: Calibration
    embedders: tuple[str, ...]
    columns: tuple[str, ...]
    weights: dict[str, float]
    stated: dict[str, float] = field(default_factory=dict)
    silence: float = 0.957
    growth: float = 0.3
    others: float = 1.0
    """What a data set in Latin script counts that is not named."""
    without: tuple[str, ...] = ()


def _start(
    name: str, about: str, *, background: tuple[float, float] = (0.05, 0.1), latin_only: bool = False, long: bool = True
) -> Calibration:
    mean, deviation = background
    about = f"{about}; {MADE_OF.format('LongMemEval (MIT), ' if long else '')}"
    return Calibration(
        name=name, about=about, latin_only=latin_only, background_mean=mean, background_deviation=deviation, intercept=0.0, weights={}
    )


RECIPES = {
    "cued": Recipe(
        start=_start("cued", "Cued's recall model", background=(0.38, 0.07), latin_only=True, long=False),
        embedders=("cued",),
        columns=tuple(f"cosine coverage lift replied entities window timed answers {KINDS} apart behind shared".split()),
        weights=SIGHTED,
        stated=STATED | BEHIND | SHARED | REPLIED | BESIDE | APART,
        without=LONG,
        silence=0.963,
        growth=0.03,
    ),
    "lexical": Recipe(
        start=_start("lexical", "Words, names and times alone: no vectors, or none that says anything"),
        embedders=("none",),
        columns=tuple(
            "wording matched entities window timed answers voice_length crowd turn note_length unknown strangers unnamed another echo "
            "lacking quoted ahead script wordless".split()
        ),
        weights=WORDS,
        # No store without vectors offers a memory that has none of the cue's words, so nothing tells what that would be worth. And hardly
        # a store in a script without spaces tells many things in the same words, as a diary of dates does.
        stated={"wordless": -4.0, "unnamed": -4.0, "another": -5.0, "echo": -8.0, "lacking": -0.95, **QUOTED},
        silence=0.947,
        growth=0.6,
        others=0.4,
    ),
    "minilm": Recipe(
        start=_start("minilm", "Plain all-MiniLM-L6-v2", latin_only=True, long=False),
        embedders=("minilm",),
        columns=tuple(f"cosine coverage lift replied entities window timed answers {KINDS} apart behind shared".split()),
        weights=SIGHTED,
        stated=STATED | BEHIND | PLAIN_SHARED | REPLIED | VOICE,
        without=LONG,
        silence=0.955,
        growth=0.2,
    ),
    "generic": Recipe(
        start=_start("generic", "Any embedder without a calibration of its own: z-scores and words, no plain cosine", long=False),
        embedders=("minilm", "hashing"),
        columns=tuple(f"z coverage passage_z entities window timed neighbour_coverage answers {KINDS} unknown".split()),
        # More of the other talk is needed, and who is not known is given less of a say.
        weights=SIGHTED | {"memorybank": 12.0, "friendsqa": 4.0, "molweni_mrc": 4.0, "lifebench_en": 6.0},
        stated=STATED | VOICE,
        silence=0.97,
        without=LONG,
    ),
}


def main() -> int:
    """Fit every calibration that is asked for; 1 where one is not what ships."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stores", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(RECIPES)}; all of them if none is named")
    parser.add_argument("--write", action="store_true", help="write the calibrations that ship")
    parser.add_argument("--cache", type=Path, default=default_folder())
    options = parser.parse_args()
    differ = False
    for name in options.names or RECIPES:
        recipe, shipped = RECIPES[name], SHIPPED / f"{name}.toml"
        read = (*sorted(path for path in options.stores.iterdir() if path.is_dir()), *(DATA / each for each in OPEN))
        data = tuple(path for path in read if path.name not in recipe.without)
        weights = {path.name: recipe.others for path in data if not any(part in path.name for part in UNLETTERED)} | recipe.weights
        source = FittingData(data=data, embedders=recipe.embedders, weights=weights, cache=options.cache)
        made, reports = fitted(
            source,
            FittingGoal(start=recipe.start, columns=recipe.columns, stated=recipe.stated, silence=recipe.silence, growth=recipe.growth),
        )
        text = calibration_toml(made)
        same = shipped.is_file() and shipped.read_text("utf-8") == text
        differ |= not same
        if options.write:
            shipped.write_text(text, "utf-8")
        sys.stderr.write(f"{name}: {'as shipped' if same else 'written' if options.write else 'not what ships'}\n{as_lines(reports)}\n")
    return int(differ and not options.write)


if __name__ == "__main__":
    sys.exit(main())
