"""Lets the importers' tests share their made-up profiles."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
