"""Another process that writes to the same file: each line on its input is one memory, and the answer is its id.

python -m bench.writer DATABASE MEMORIES_EACH COUNT
"""

import sys
from pathlib import Path

from bench import corpus
from bench.loading import known, opened, tenant_name
from bench.recalling import AFTER_ALL
from bench.vectors import GivenVectors


def main(path: str, each: str, count: str) -> None:
    """Remember one memory of the first tenant a line, until the lines end."""
    late = corpus.block(0, 2 * AFTER_ALL, int(count), among=int(each), words=corpus.vocabulary())
    with opened(Path(path), GivenVectors(known(late))) as memories:
        handle = memories.tenant(tenant_name(0))
        for _, draft in zip(sys.stdin, late.drafts, strict=False):
            print(handle.remember(draft).id, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
