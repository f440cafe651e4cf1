"""The public face is small, is exactly what is exported, and is quick to import."""

import copy
import inspect
import re
import subprocess
import sys

import pytest

import cued
from cued import errors


def test_what_is_exported_is_what_is_there():
    assert sorted(cued.__all__) == cued.__all__
    assert all(hasattr(cued, name) for name in cued.__all__)
    assert dir(cued) == cued.__all__


def test_every_error_is_exported():
    raised = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.CuedError)}
    assert raised <= set(cued.__all__)


@pytest.mark.parametrize(
    "error",
    [
        errors.InputError("limit", "ten", "a number"),
        errors.UnknownFieldError("limti", ["limit"]),
        errors.PolicyError("mine", ["[floor] no such key"]),
        errors.ConflictError([cued.Conflict(id="a", type="update", similarity=0.9, text="x", reason="y", choices=())]),
        errors.TrustError("this", "that", memory_id="a"),
        errors.QuotaError("memories", 10, "fewer"),
        errors.RateError(10, 1.5),
        errors.NotFoundError("a"),
        errors.BusyError("held"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_goes_to_another_process_as_it_is(error):
    again = copy.copy(error)  # by the same way as a pool of processes sends it
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize("holder", [cued.Tenant, cued.Memories, cued.Conversation], ids=lambda kind: kind.__name__)
def test_every_answer_of_a_verb_is_a_type_that_is_exported(holder):
    for name, verb in inspect.getmembers(holder, inspect.isfunction):
        if not name.startswith("_"):
            answered = re.findall(r"\b[A-Z][A-Za-z]+", inspect.formatannotation(inspect.signature(verb).return_annotation))
            assert set(answered) - {"None", "Iterator"} <= set(cued.__all__), name


def test_importing_cued_pulls_no_server_no_model_and_no_database():
    code = "import cued, sys; print(sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    for heavy in ("onnxruntime", "apsw", "click", "rich", "starlette", "mcp", "psycopg", "cued_minilm", "asyncio", "numpy", "msgspec"):
        assert f"'{heavy}'" not in loaded


def test_naming_open_pulls_nothing_that_only_an_open_store_needs():
    code = "import cued, sys; cued.open; print(sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    for heavy in ("numpy", "apsw", "Stemmer", "rich", "asyncio"):
        assert f"'{heavy}'" not in loaded
