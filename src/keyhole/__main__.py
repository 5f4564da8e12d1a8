"""Where every command begins; what serves agent hosts begins with as little as can be."""

import sys


def run() -> None:
    """Run the command that the arguments name, and leave with its exit code."""
    if sys.argv[1:2] == ["mcp"]:
        from keyhole.surfaces.mcp.front.main import serve

        code = serve(sys.argv[2:])
        if code is not None:
            sys.exit(code)
    from keyhole.surfaces.cli.main import run as run_command

    run_command()


if __name__ == "__main__":  # pragma: no cover: true in a process of its own only
    run()
