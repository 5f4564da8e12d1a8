"""The manual of the command line: every help page, as Markdown for docs/cli.md."""

from __future__ import annotations

from collections.abc import Iterator

from keyhole.surfaces.cli.commands import COMMANDS, command
from keyhole.surfaces.cli.output import say
from keyhole.surfaces.cli.pages import overview, page


def manual() -> str:
    """Return the whole page; `make manual` writes it, and a test compares."""
    return "\n".join(_manual())


def _manual() -> Iterator[str]:
    yield "# The command line"
    yield ""
    yield "Made by `make manual` from `keyhole --help`; edit the help, not this page."
    yield from _block(overview())
    yield _PATHS
    for name in COMMANDS:
        yield f"\n## keyhole {name}"
        yield from _block(page(command(name)))


def _block(text: str) -> Iterator[str]:
    yield ""
    yield f"```text\n{text}\n```"


_PATHS = """
## What holds for every command

- **Paths.** A relative PATH is relative to the root (`--root`, by default the current directory).
  If the current directory lies inside the root, a PATH that starts with `./` or `../` is relative
  to the current directory instead. What exists where plays no part, so one spelling always means
  one file. Paths inside a `--request` are always relative to the root.
- **Values.** A flag takes the next word whatever it looks like: `--content --x` is fine.
  `--flag=value` works too, and after `--` every word is an argument. Where an empty word would be
  taken for one that was not given (`undo "$ID"`, `--expected-hash ""`), it is a usage error.
- **Answers** go to standard output, refusals included, as text or with `--json` as the JSON of the
  tools; both say the same. Usage errors and internal errors go to standard error.
- **Exit codes.** 0 done, 1 refused, 2 a usage error, 3 an internal error or an answer that
  cannot be written, 130 interrupted.
- **Colours** only on a terminal, never with `NO_COLOR`; `--color always` and `never` overrule both.
  On a terminal, edits show the diff (`--detail full`), in a pipe the new lines (`brief`).
- **Internal errors** are one line. `KEYHOLE_TRACE=1` shows the trace for a bug report."""


if __name__ == "__main__":
    say(manual())
