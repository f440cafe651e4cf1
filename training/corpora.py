"""The training corpora as data, with their licences, and the readers of their pairs.

Nothing here is shipped: the adapter is. `SHIPPED` names the corpora that shaped it; the others were only tried.
"""

import gzip
import json
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

Family = Literal["dialogue", "question", "paraphrase", "command", "fact", "request", "note"]
FOLDER_VARIABLE = "CUED_TRAINING"
DEFAULT_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "training"
HELD_OUT_ONE_IN = 20


@dataclass(frozen=True)
class Corpus:
    """One corpus: what it teaches, how much of the mix it may be, and under which licence it came."""

    name: str
    family: Family
    share: float
    licence: str
    origin: str
    licence_seen: bool = True
    own_negatives_only: bool = False
    """Whether rows may answer each other's cues, so that only a row's own other texts are told apart from its answer."""

    @property
    def share_alike(self) -> bool:
        """Whether the licence asks for share-alike, in which case the corpus shapes nothing that we ship."""
        return "SA" in self.licence


@dataclass(frozen=True)
class Row:
    """One cue with the texts that support it and other texts of the same dialogue or document.

    Rows of one topic, where it is set, answer each other's cues and are no negatives of each other.
    """

    cue: str
    answers: tuple[str, ...]
    others: tuple[str, ...]
    topic: str = ""


NATURAL_INSTRUCTIONS = "Super-NaturalInstructions"
OWN = "written for this project"

CORPORA: tuple[Corpus, ...] = (
    Corpus("scenes_chat", "dialogue", 5.0, OWN, "training/scenes.tsv"),
    Corpus("scenes_user", "dialogue", 3.0, OWN, "training/scenes.tsv"),
    Corpus("know_how", "command", 2.0, OWN, "training/know_how.tsv"),
    Corpus("other_words", "fact", 24.0, OWN, "training/pairs"),
    Corpus("friendsqa", "dialogue", 6.0, "Apache-2.0", "emorynlp/FriendsQA"),
    Corpus("molweni_mrc", "dialogue", 2.0, "Apache-2.0", "HIT-SCIR/Molweni"),
    Corpus("qmsum_query_turn", "dialogue", 2.0, "MIT", "Yale-LILY/QMSum"),
    Corpus("qmsum_evidence", "dialogue", 4.0, "MIT", "etri/QMSum_SummaryEvidence"),
    Corpus("irc_reply_links", "dialogue", 0.0, "CC BY 4.0", "jkkummerfeld/irc-disentanglement"),
    Corpus("circa_indirect_answers", "dialogue", 0.0, "CC BY 4.0", f"{NATURAL_INSTRUCTIONS}: Circa", licence_seen=False),
    Corpus("cosmosqa", "question", 3.0, "CC BY 4.0", f"{NATURAL_INSTRUCTIONS}: CosmosQA", licence_seen=False),
    Corpus("medquad", "question", 1.0, "CC BY 4.0", "abachaa/MedQuAD"),
    Corpus("qasper_evidence", "question", 1.0, "CC BY 4.0", f"{NATURAL_INSTRUCTIONS}: Qasper", licence_seen=False),
    Corpus("disflqa_squad", "question", 1.0, "CC BY 4.0", f"{NATURAL_INSTRUCTIONS}: Disfl-QA", licence_seen=False),
    Corpus("clapnq_dev", "question", 0.3, "Apache-2.0", "primeqa/clapnq"),
    Corpus("qasc_two_facts", "question", 1.0, "CC BY 4.0", f"{NATURAL_INSTRUCTIONS}: QASC", licence_seen=False),
    Corpus("iirc_two_hop", "question", 1.0, "CC BY 4.0", f"{NATURAL_INSTRUCTIONS}: IIRC", licence_seen=False),
    Corpus("strategyqa_facts", "question", 1.0, "MIT", "eladsegal/strategyqa"),
    Corpus("timeqa_human", "question", 1.0, "BSD-3-Clause", "wenhuchen/Time-Sensitive-QA"),
    Corpus("paws", "paraphrase", 1.0, "free for any purpose", f"{NATURAL_INSTRUCTIONS}: PAWS"),
    Corpus("mnli_entail", "paraphrase", 0.0, "OANC and others", f"{NATURAL_INSTRUCTIONS}: MultiNLI", licence_seen=False),
    Corpus("tldr_pages", "command", 1.5, "CC BY 4.0", "tldr-pages/tldr"),
    Corpus("rust_errors_lints", "command", 0.7, "MIT OR Apache-2.0", "rust-lang/rust, rust-lang/rust-clippy"),
    Corpus("doqa", "dialogue", 1.5, "CC BY-SA 4.0", f"{NATURAL_INSTRUCTIONS}: DoQA", licence_seen=False),
    Corpus("crd3_question_reply", "dialogue", 1.0, "CC BY-SA 4.0", "RevanthRameshkumar/CRD3", licence_seen=False),
    Corpus("sgd_slot_questions", "dialogue", 1.0, "CC BY-SA 4.0", "google-research-datasets/dstc8-schema-guided-dialogue"),
    Corpus("wow_plus_plus", "dialogue", 0.3, "CC BY-SA 4.0", "alexa/wow-plus-plus"),
    Corpus("squad_sentence_nqg", "question", 2.0, "CC BY-SA 4.0", "xinyadu/nqg (SQuAD)", licence_seen=False),
    Corpus("tweetqa", "question", 3.0, "CC BY-SA 4.0", f"{NATURAL_INSTRUCTIONS}: TweetQA", licence_seen=False),
    Corpus("boolq_passage", "question", 1.0, "CC BY-SA 3.0", f"{NATURAL_INSTRUCTIONS}: BoolQ", licence_seen=False),
    Corpus("mocha_reading", "question", 1.0, "CC BY-SA 4.0", f"{NATURAL_INSTRUCTIONS}: MOCHA", licence_seen=False),
    Corpus("qed_nq_sentence", "question", 0.5, "CC BY-SA 3.0", "google-research-datasets/QED"),
    Corpus(
        "multihop_hotpot_2wiki_musique",
        "question",
        0.5,
        "CC BY-SA 4.0, Apache-2.0, CC BY 4.0",
        "HotpotQA, 2WikiMultihopQA, MuSiQue",
        licence_seen=False,
    ),
    Corpus("dstc9_faq", "request", 0.0, "Apache-2.0", "alexa/alexa-with-dstc9-track1-dataset", own_negatives_only=True),
    Corpus("dstc11_reviews", "request", 0.0, "CDLA-Sharing-1.0", "alexa/dstc11-track5", own_negatives_only=True),
    Corpus("kpa_keypoint_argument", "fact", 0.0, "CDLA-Sharing-1.0", "IBM/KPA_2021_shared_task"),
    Corpus("casino_needs", "fact", 0.0, "CC BY 4.0", "kushalchawla/CaSiNo"),
    Corpus("spc_persona_chat", "fact", 0.0, "CC BY 4.0", "google-research-datasets/Synthetic-Persona-Chat"),
    Corpus("banking77_same_request", "request", 0.0, "CC BY 4.0", "PolyAI-LDN/task-specific-datasets"),
    Corpus("commit_subject_body", "note", 0.0, "MIT, Apache-2.0 or BSD", "commit messages of seventeen projects"),
    Corpus("msvc_error_remedy", "note", 0.0, "CC BY 4.0", "MicrosoftDocs/cpp-docs"),
    Corpus("dart_diagnostics", "note", 0.0, "CC BY 4.0", "dart-lang/site-www"),
    Corpus("lint_and_error_notes", "note", 0.0, "MIT, Apache-2.0, CC BY 4.0", "eslint, stylelint, sqlalchemy, error-prone and others"),
    Corpus("k8s_heading_en", "note", 0.0, "CC BY 4.0", "kubernetes/website"),
    Corpus("snli_update", "paraphrase", 1.0, "CC BY-SA 4.0", f"{NATURAL_INSTRUCTIONS}: SNLI", licence_seen=False),
)

SHIPPED: tuple[Corpus, ...] = tuple(corpus for corpus in CORPORA if corpus.share > 0 and not corpus.share_alike)
OWN_NEGATIVES_ONLY = frozenset(corpus.name for corpus in CORPORA if corpus.own_negatives_only)


def folder() -> Path:
    """The folder of the training pairs: `CUED_TRAINING`, or the one beside the repository."""
    return Path(os.environ.get(FOLDER_VARIABLE, DEFAULT_FOLDER))


def read_rows(path: Path, *, topic: str = "") -> tuple[Row, ...]:
    """The rows of a JSON-lines file (`.jsonl`, `.gz`, `.xz`) of `{"q", "pos", "neg"}`; rows of one topic are no negatives of each other."""
    return tuple(_rows(path, topic))


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON-lines file, plain or compressed."""
    openers: dict[str, Callable[..., IO[str]]] = {".gz": gzip.open, ".xz": lzma.open}
    with openers.get(path.suffix, open)(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def find(name: str, where: Path) -> Path:
    """The file of a corpus in a folder, whichever way it is compressed."""
    for place in (where, where / "more"):
        for ending in (".jsonl.gz", ".jsonl.xz", ".jsonl"):
            path = place / f"{name}{ending}"
            if path.exists():
                return path
    raise FileNotFoundError(f"no pairs of {name!r} in {where}: expected {name}.jsonl.gz, .jsonl.xz or .jsonl (set {FOLDER_VARIABLE})")


def split(rows: tuple[Row, ...], *, one_in: int = HELD_OUT_ONE_IN) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """The rows to train on and those held out, by a hash of the first answer, so that no held-out answer is a trained one."""
    held = tuple(row for row in rows if zlib.crc32(row.answers[0].encode()) % one_in == 0)
    answers = {answer for row in held for answer in row.answers}
    kept = tuple(row for row in rows if zlib.crc32(row.answers[0].encode()) % one_in and answers.isdisjoint(row.answers))
    return kept, held


def _rows(path: Path, topic: str) -> Iterator[Row]:
    for pair in read_lines(path):
        answers = tuple(pair["pos"])
        if pair["q"].strip() and answers:
            yield Row(pair["q"], answers, tuple(text for text in pair.get("neg", ()) if text not in answers), topic)
