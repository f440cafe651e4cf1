"""The public face is small, is exactly what is exported, and is quick to import."""

import subprocess
import sys

import cued


def test_what_is_exported_is_what_is_there_and_at_most_fifteen_names():
    assert sorted(cued.__all__) == cued.__all__
    assert len(cued.__all__) <= 15
    assert all(hasattr(cued, name) for name in cued.__all__)


def test_importing_cued_pulls_no_server_no_model_and_no_database():
    code = "import cued, sys; print(sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    for heavy in ("onnxruntime", "apsw", "click", "rich", "starlette", "mcp", "psycopg", "cued_minilm", "asyncio"):
        assert f"'{heavy}'" not in loaded
