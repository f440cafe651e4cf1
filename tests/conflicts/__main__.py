"""Prints precision and recall of the conflict rules, per type and half: `python -m tests.conflicts`."""

import sys

from cued.embed import load_embedder
from tests.conflicts.scoring import AT_ODDS, HALVES, TYPES, judged, load, rates, similarities


def main():
    embedder = load_embedder("cued")
    for half in HALVES:
        pairs = load(half)
        for label, cosines in (("with similarity", similarities(pairs, embedder)), ("rules alone", [None] * len(pairs))):
            said = judged(pairs, cosines)
            sys.stdout.write(f"\n{half}, {label}, {len(pairs)} pairs\n")
            for name, types in (("update or negation", AT_ODDS), *((kind, {kind}) for kind in TYPES)):
                found = rates(pairs, said, types)
                sys.stdout.write(f"  {name:<20} precision {found.precision:.2f}  recall {found.recall:.2f}  of {found.pairs}\n")


if __name__ == "__main__":
    main()
