"""A script of `benchmarks/` as a module, so that tests hold the figures that it prints."""

from __future__ import annotations

import importlib.util
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

FOLDER = Path(__file__).parents[1] / "benchmarks"


def benchmark(name: str) -> ModuleType:
    """The module `benchmarks/NAME.py`, loaded anew."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up while it is run
    spec.loader.exec_module(module)
    return module


def printed(name: str, *words: str) -> str:
    """What `python benchmarks/NAME.py WORDS` prints, from this process: what it imports is mostly there already."""
    out = StringIO()
    with (
        patch.object(sys, "path", [str(FOLDER), *sys.path]),
        patch.object(sys, "argv", [f"{name}.py", *words]),
        redirect_stdout(out),
    ):
        benchmark(name).main()
    return out.getvalue()
