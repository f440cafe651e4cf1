"""Files that were damaged in a random way, and what a store answers from them held against what was stored."""

import shutil
from pathlib import Path
from random import Random

import cued
from cued.errors import CuedError

TENANTS = ("ada", "bob")
HIDDEN = 2
"""How many of a tenant's memories are hidden: one has given way, one is forgotten."""
SUBJECTS = ("tea", "rain", "cake", "kiln", "train", "music", "paint", "garden")


def stocked(path: Path, count: int = 40) -> dict[str, dict[str, str]]:
    """A file with memories of two tenants, and their texts by tenant and id."""
    texts: dict[str, dict[str, str]] = {}
    with cued.open(path, embedder="hashing", settle="now") as memories:
        for name in TENANTS:
            tenant, random = memories.tenant(name), Random(name)
            drafts = [
                {"text": f"{name} and {random.choice(SUBJECTS)}, note {number}: " + f"word{number} " * random.choice((3, 40, 400)),
                 "tags": [random.choice(SUBJECTS)], "meta": {"number": number}}
                for number in range(count)
            ]  # fmt: skip
            ids = tenant.remember_many(drafts).ids
            tenant.remember(f"{name} gave up tea.", supersedes=ids[:1], conflicts=False)
            tenant.forget(ids[1])
            tenant.recall("tea and rain")
            texts[name] = {memory.id: memory.text for memory in tenant.list(limit=200, hidden=True).memories}
    return texts


def damage(path: Path, random: Random) -> str:
    """What was done to the file: bits flipped, its end cut off, pages or a stretch overwritten."""
    data = bytearray(path.read_bytes())
    kind = random.choice(("bits", "bits", "bits", "page", "cut", "noise", "swap", "header"))
    if kind == "bits":
        for _ in range(random.choice((1, 1, 2, 16))):
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    elif kind == "page":
        start = random.randrange(len(data) // 4096) * 4096
        data[start : start + 4096] = bytes(4096)
    elif kind == "cut":
        del data[random.randrange(len(data)) :]
    elif kind == "noise":
        start = random.randrange(len(data))
        data[start : start + 64] = random.randbytes(len(data[start : start + 64]))
    elif kind == "swap":
        one, other = (random.randrange(1, len(data) // 4096) * 4096 for _ in range(2))
        data[one : one + 4096], data[other : other + 4096] = data[other : other + 4096], data[one : one + 4096]
    else:
        data[random.randrange(100)] ^= 1 << random.randrange(8)
    path.write_bytes(data)
    return kind


def wrong(path: Path, texts: dict[str, dict[str, str]]) -> list[str]:
    """What a store says of a file that is not so, without a word of warning; an error of ours is a word, any other is not."""
    found: list[str] = []
    try:
        with cued.open(path, embedder="hashing", settle="off") as memories:
            for name, known in texts.items():
                for check in (_recalls, _gets, _lists):
                    try:
                        found += check(memories.tenant(name), known)
                    except CuedError:
                        continue
    except CuedError:
        return found
    except Exception as error:  # noqa: BLE001 - whatever else is raised is what is looked for
        found.append(f"foreign: {type(error).__name__}: {error}")
    return found


def _recalls(tenant, known):
    found = []
    for cue in ("tea and rain", "note 7 word7", "kiln cake music"):
        try:
            recall = tenant.recall(cue, limit=50, floor=0.0)
        except CuedError:
            continue
        warned = any("damaged" in each or "no vector" in each for each in recall.degraded)
        found += [f"recall gave another text for {each.id}" for each in recall.memories if known.get(each.id) != each.text]
        if not recall.memories and not warned:
            found.append(f"recall found nothing of {tenant.name} and said nothing")
    return found


def _gets(tenant, known):
    found = []
    for memory_id, text in known.items():
        try:
            if tenant.get(memory_id).text != text:
                found.append(f"get gave another text for {memory_id}")
        except cued.errors.NotFoundError:
            found.append(f"get did not know {memory_id}")
        except CuedError:
            continue
    return found


def _lists(tenant, known):
    page = tenant.list(limit=200, hidden=True)
    listed = {memory.id: memory.text for memory in page.memories}
    found = [] if listed == known and page.total == len(known) else [f"list gave {len(listed)} of {len(known)}, and said {page.total}"]
    shown = {memory.id for memory in tenant.list(limit=200).memories}
    return found if len(shown) == len(known) - HIDDEN else [*found, f"list hid {len(known) - len(shown)}, and not {HIDDEN}"]


def copied(path: Path, to: Path) -> Path:
    """A copy of a closed file."""
    shutil.copyfile(path, to)
    for beside in ("-wal", "-shm"):
        Path(f"{to}{beside}").unlink(missing_ok=True)
    to.chmod(0o600)
    return to
