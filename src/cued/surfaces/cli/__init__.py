"""The command line: `cued VERB`. Each command reads its arguments, calls a verb, and shows the answer as a table or as JSON.

Exit codes: 0 done (a recall that finds nothing is done too) · 2 the input or the usage was refused · 3 no such memory · 4 the store ·
5 the embedder · 6 a quota · 130 interrupted. Results go to stdout; notes, warnings, progress and errors to stderr.
"""

import gc


def main() -> None:
    """Run the command that this process was started for.

    Python would collect garbage cycles while the process grows, and twice more as it ends; here nobody profits from that.
    """
    gc.disable()
    from cued.surfaces.cli.root import cued_command  # noqa: PLC0415 - not searched while it is loaded

    gc.freeze()
    gc.enable()
    try:
        cued_command()
    finally:
        gc.freeze()
