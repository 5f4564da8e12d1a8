"""python -m edit_suite."""

import sys

from edit_suite.cli import run

sys.exit(run())
