"""Run the command line as `python -m keyhole`."""

import sys

from keyhole.surfaces.cli.main import run

if __name__ == "__main__":
    sys.exit(run())
