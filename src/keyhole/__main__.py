"""Run the command line as `python -m keyhole`."""

from keyhole.surfaces.cli.main import run

if __name__ == "__main__":
    run()
