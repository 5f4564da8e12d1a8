r"""IPython's magics and shell lines, which stand among Python and are none.

>>> plain_python("import os\n!ls -l\nfiles = !ls\n")
'import os\n0#s -l\nfiles = 0#s\n'
"""

from __future__ import annotations

import re

# A line that is no Python, a value that a shell or a magic gives, and a question for help.
_LINE = re.compile(r"^[ \t]*(?=[%!?]|[\w.]+\?{1,2}[ \t]*$)")
_VALUE = re.compile(r"^[ \t]*[\w.,\[\]'\" ]+=[ \t]*(?=[%!])")
# Magics of a cell whose body is Python all the same.
_OF_PYTHON = frozenset({"time", "timeit", "capture", "prun", "debug", "memit", "mprun"})


def other_language(source: str) -> str:
    """Return the magic that says that a whole cell is no Python, "" if there is none."""
    first = source.lstrip()
    found = re.match(r"%%([\w.]+)", first) or re.match(r"%(sql|md|scala|r|sh|fs|run)\b", first)
    return "" if found is None or found[1] in _OF_PYTHON else found[1]


def plain_python(source: str) -> str:
    """Return a source of the same length in which Python reads a number for what is no Python."""
    if not any(sign in source for sign in "%!?"):
        return source
    lines = source.split("\n")
    goes_on = False
    for number, line in enumerate(lines):
        found = _LINE.match(line) or _VALUE.match(line)
        if goes_on and line:
            lines[number] = "#" + line[1:]
        elif found:
            at = found.end()
            lines[number] = line[:at] + "0#"[: len(line) - at] + line[at + 2 :]
        goes_on = line.endswith("\\") and (goes_on or bool(found))
    return "\n".join(lines)
