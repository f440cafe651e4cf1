"""Embedders by name, and what happens when one is not there."""

import subprocess
import sys

import pytest

from cued.embed import Hashing, load_embedder
from cued.errors import InputError

NO_WHEEL = """
import sys
class NoWheel:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] == 'cued_minilm':
            raise ModuleNotFoundError(f'No module named {name!r}', name=name)
sys.meta_path.insert(0, NoWheel())
"""
NO_NETWORK = """
import socket
def refuse(*_args, **_kwargs):
    raise AssertionError('the network was touched')
socket.socket = socket.create_connection = socket.getaddrinfo = refuse
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment)


@pytest.mark.requirement("S11", "R13")
def test_without_the_wheel_auto_is_hashing_with_one_line_that_says_what_to_install():
    done = run(
        NO_WHEEL
        + NO_NETWORK
        + """
import warnings
from cued.embed import CuedWarning, load_embedder
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter('always')
    embedder = load_embedder()
assert embedder.embed(['still works'], role='query').shape == (1, 384)
(warning,) = seen
assert warning.category is CuedWarning
print(embedder.fingerprint.provider)
print(warning.message)
""",
    )
    provider, *message = done.stdout.splitlines()
    assert provider == "hashing"
    assert len(message) == 1
    assert "cued-minilm is not installed: pip install cued-minilm" in message[0]
    assert done.stderr == ""


def test_the_warning_that_the_wheel_is_missing_points_at_the_line_that_opens_the_memories():
    done = run(NO_WHEEL + "import cued\n\n\ncued.open().close()\n")
    line = (NO_WHEEL + "import cued\n\n\n").count("\n") + 1
    assert done.stderr.startswith(f"<string>:{line}: CuedWarning: the model wheel cued-minilm is not installed")


def test_without_the_wheel_minilm_by_name_is_an_error_with_the_pip_command():
    done = run(
        NO_WHEEL
        + """
from cued.embed import load_embedder
from cued.errors import EmbedderError
try:
    load_embedder('minilm')
except EmbedderError as error:
    print(error)
""",
    )
    assert "pip install cued-minilm" in done.stdout


def test_nothing_touches_the_network_at_import_load_or_embed():
    pytest.importorskip("cued_minilm", reason="the model wheel is not installed: pip install packages/cued-minilm")
    program = (
        "from cued.embed import load_embedder\n"
        "for name in ('auto', 'minilm', 'hashing'): print(load_embedder(name).embed(['a'], role='query').shape)"
    )
    assert run(NO_NETWORK + program).stdout.splitlines() == ["(1, 384)"] * 3


def test_loading_by_name_imports_nothing_heavy():
    program = (
        "import sys\nfrom cued.embed import load_embedder\n"
        "for name in ('hashing', 'openai:m', 'sentence-transformers:n'): load_embedder(name)\n"
        "print(sorted({'onnxruntime', 'torch', 'sentence_transformers', 'cued_minilm', 'onnx'} & set(sys.modules)))"
    )
    assert run(program).stdout.strip() == "[]"


def test_an_embedder_is_given_back_as_it_is():
    mine = Hashing(64)
    assert load_embedder(mine) is mine


class Marked:
    """An embedder that is told of which model it is when it is made."""

    def __init__(self, fingerprint):
        self.fingerprint = fingerprint
        self.embed = Hashing(64).embed


def test_an_embedder_may_have_its_fingerprint_since_it_was_made():
    mine = Marked(Hashing(64).fingerprint)
    assert load_embedder(mine) is mine


class MarkedAlone:
    """What can say which model it is, and embeds nothing."""

    fingerprint = Hashing(64).fingerprint


def test_what_lacks_a_part_of_an_embedder_is_told_which_it_needs():
    with pytest.raises(InputError, match=r"a fingerprint, and a method embed\(texts, \*, role\)"):
        load_embedder(MarkedAlone())


@pytest.mark.parametrize(
    "spec",
    [
        "",
        "word2vec",
        "openai",
        "openai:",
        "openai: ",
        "minilm:6",
        "auto:x",
        "hashing:",
        "hashing:many",
        "hashing:-5",
        "sentence-transformers",
        "Hashing",
    ],
)
def test_an_unknown_spec_is_an_error_that_lists_what_is_accepted(spec):
    with pytest.raises(InputError, match="hashing:DIMENSIONS"):
        load_embedder(spec)


@pytest.mark.parametrize("spec", [None, 5, object(), Hashing])
def test_what_is_no_embedder_is_refused(spec):
    with pytest.raises(InputError, match="or an Embedder"):
        load_embedder(spec)
