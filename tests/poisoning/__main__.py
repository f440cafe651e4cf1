"""`python -m tests.poisoning [--write]`: how often each attack gets through, beside what it was before trust acted.

`--write` puts the table into docs/security.md; `--before` prints the figures of the version at hand as `before.toml` has them.
"""

import sys
import tomllib
from pathlib import Path

from tests.poisoning.attacks import ATTACKS, tried

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
BEFORE = Path(__file__).with_name("before.toml")
START, END = "<!-- figures: poisoning -->\n", "<!-- /figures -->\n"


def table(before, now):
    """The figures as a table of Markdown."""
    rows = [f"| {name} | {before[name]} of 20 | {through} of {count} |\n" for name, (through, count) in now.items()]
    return "| attack, tried on 20 claims | before | now |\n| --- | ---: | ---: |\n" + "".join(rows)


def main(arguments):
    """Measure, and print or write."""
    now = {name: tried(name, "auto") for name in ATTACKS}
    if "--before" in arguments:
        sys.stdout.write("".join(f'"{name}" = {through}\n' for name, (through, _) in now.items()))
        return
    shown = table(tomllib.loads(BEFORE.read_text(encoding="utf-8")), now)
    sys.stdout.write(shown)
    if "--write" in arguments:
        head, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
        _, _, tail = rest.partition(END)
        PAGE.write_text(f"{head}{START}{shown}{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
