"""`python -m tests.poisoning.cost [QUESTIONS]`: what trust costs where nobody attacks, on the development data that CUED_DATA names.

Every question is decided by the default policy and by the same one with its rules of trust left out, over the same evidence: with all
memories a user's, and with all of them imported.
"""

import sys
from collections import Counter

from msgspec.structs import replace

from cued.embed import load_embedder
from cued.engine import decide
from cued.evaluation.cache import default_folder
from cued.evaluation.cached_embedder import CachedEmbedder
from cued.evaluation.dataset import narrowed
from cued.evaluation.evidence_cache import EvidenceCache
from cued.evaluation.formats import read
from cued.evaluation.runner import Ask, Bench, evidence_of
from cued.policy.presets import preset
from cued.policy.spec import TrustRules
from tools.quality import DATA, EVERYDAY, SETS

QUESTIONS = 60
TENANTS = 2


def asked(dataset, most):
    """Some of a data set's questions, evenly taken."""
    queries = dataset.queries[:: max(1, len(dataset.queries) // most)][:most]
    return [Ask(query=query, tenant=query.tenant, at=query.asked_at) for query in queries]


def labelled(evidence, trust):
    """The evidence as if all memories came from there."""
    memories = tuple(replace(memory, trust=trust) for memory in evidence.findings.memories)
    return replace(evidence, findings=replace(evidence.findings, memories=memories))


def chosen(recall):
    """What came back: ids, in their order, with their scores and relevances to the bit."""
    return [(each.id, each.score, each.relevance) for each in recall]


def compared(name, most, bench):
    """How many recalls there were, how many came back otherwise of a user's memories and of imports, and what gold was lost by that."""
    acting = preset("cued")
    without, seen = replace(acting, trust=TrustRules()), Counter()
    dataset = narrowed(read(EVERYDAY if name == "everyday" else DATA / name), tenants=TENANTS)
    for _, evidence, gold in evidence_of(dataset, asked(dataset, most), acting, bench):
        plain = decide(evidence, without)
        seen["recalls"] += 1
        seen["quarantined"] += sum(memory.quarantined_at is not None for memory in evidence.findings.memories)
        seen["user's, otherwise"] += chosen(decide(labelled(evidence, "user"), acting)) != chosen(plain)
        before, after = chosen(decide(labelled(evidence, "import"), without)), chosen(decide(labelled(evidence, "import"), acting))
        seen["imports, fewer"] += len(after) < len(before)
        seen["imports, in another order"] += after != before[: len(after)]
        seen["gold of imports left out"] += len(gold & {each[0] for each in before}) - len(gold & {each[0] for each in after})
        seen["gold of imports"] += len(gold & {each[0] for each in before})
    return seen


def main(most=QUESTIONS):
    """Measure every data set that is there, and print a line for each and their sum."""
    cache, total = default_folder(), Counter()
    bench = Bench(embedder=CachedEmbedder(load_embedder("cued"), cache), evidence=EvidenceCache(None))
    for name in ("everyday", *(each for each in SETS if (DATA / each).is_dir())):
        seen = compared(name, most, bench)
        total.update(seen)
        sys.stdout.write(f"{name:14} {dict(seen)}\n")
    sys.stdout.write(f"{'all':14} {dict(total)}\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
