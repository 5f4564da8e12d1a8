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
    quote = "def connect(host, prot):"
    old = (quote, '    """Open a connection to the host."""', "    timeout = 30")
    new = (*old[:2], "    timeout = 60")
    refusal = _record(
        stage, console,
        "edit", "server.py", "--find", "\n".join(old), "--content", "\n".join(new), expect=1,
    )  # fmt: skip
    offer = re.search(r"candidate (\w+):", plain(refusal))
    if offer is None:
        sys.exit("the refusal should have offered a candidate")
    _record(stage, console, "edit", "--accept", offer[1])
    _record(
        stage, console,
        "edit", "server.py", "--segment", "Worker.stop", "--part", "body",
        "--content", 'self.state = "stopped"',
    )  # fmt: skip


def _record(stage: Stage, console: Console, *words: str, expect: int = 0) -> str:
    console.print(Text(f"$ {spelled(words)}", style="bold"))
    answer = stage.answer(*words, expect=expect)
    console.print(Text.from_ansi(answer))
    return answer


def _self_contained(svg: str) -> str:
    """Return the picture without fonts from elsewhere and without names of hosts."""
    svg = re.sub(r"@font-face\s*\{[^}]*\}", "", svg)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    return svg.replace("Fira Code, monospace", "ui-monospace, monospace").replace(
        "Fira Code", "monospace"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
