"""Draw a short real session as a picture: `python -m demo.picture FILE.svg`."""

import io
import re
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

from demo.run import Stage, plain, spelled

_WIDTH = 100


def main(target: Path) -> None:
    """Record a refusal, its recovery and an edit by name, and write the picture."""
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True)
    with tempfile.TemporaryDirectory(prefix="keyhole-picture-") as scratch:
        stage = Stage(Path(scratch) / "project", Path(scratch) / "state", coloured=True)
        stage.set_up()
        _session(stage, console)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(_self_contained(console.export_svg(title="keyhole")), encoding="utf-8")


def _session(stage: Stage, console: Console) -> None:
    _record(
        stage, console, "edit", "server.py", "--find", "RETRIES = 3", "--content", "RETRIES = 5"
    )
    old = 'def connect(host, prot):\n    """Open a connection to the host."""\n'
    new = 'def connect(host, prot):\n    """Open a connection, with TLS."""\n'
    refusal = _record(
        stage, console,
        "edit", "server.py", "--find", old, "--content", new, expect=1,
    )  # fmt: skip
    offer = re.search(r"candidate (\w+):", plain(refusal))
    if offer is None:
        sys.exit("the refusal should have offered a candidate")
    _record(stage, console, "edit", "--accept", offer[1])
    _record(
        stage, console,
        "edit", "server.py", "--segment", "Worker.stop", "--part", "body",
        "--content", 'self.state = "stopped"\nreturn self.state',
    )  # fmt: skip


def _record(stage: Stage, console: Console, *words: str, expect: int = 0) -> str:
    console.print(Text(f"$ {spelled(words)}", style="bold"))
    answer = stage.answer(*words, expect=expect)
    console.print(Text.from_ansi(answer))
    return answer


def _self_contained(svg: str) -> str:
    """Return the picture without fonts from elsewhere and without names of hosts."""
    svg = re.sub(r"@font-face\s*\{[^}]*\}", "", svg)
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)  # or some readers drop indents
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code, monospace", "ui-monospace, monospace").replace(
        "Fira Code", "monospace"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
