"""Starting other processes for tests."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).with_name("other_process.py")


def start(*arguments):
    """Start `other_process.py` with these arguments; what it says can be read line by line."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, str(SCRIPT), *map(str, arguments)], stdout=subprocess.PIPE, text=True, env=environment)


def run(*arguments):
    """Run it to its end, which must be a good one, and give its lines."""
    process = start(*arguments)
    said, _ = process.communicate()
    assert process.returncode == 0, said
    return said.splitlines()
