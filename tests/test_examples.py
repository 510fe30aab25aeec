"""Every example runs from start to end as a user would run it."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
LONG = ("02_your_own_measure", "04_compare_therapists", "05_inside_a_session")


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=[pytest.mark.slow] if p.stem in LONG else [], id=p.stem) for p in EXAMPLES],
)
def test_example_runs(path, tmp_path):
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, cwd=tmp_path, timeout=100)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_there_are_examples():
    assert len(EXAMPLES) >= 4
