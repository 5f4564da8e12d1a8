"""Scenarios of the tools as they are: all of them share one start of a host."""

import json

from tests.laboratory.model import Earlier
from tests.laboratory.scenario import (
    Scenario,
    call,
    edit,
    together,
)

APP = b"""\
import time


def fetch(url):
    retries = 3
    time.sleep(1)
    return url


def store(item):
    retries = 3
    return item
"""
WORKER = b"""\
class Worker:
    def run(self, item):
        value = item
        return value

    def stop(self):
        return None
"""
NOTES = b"# Notes\n\n## Install\n\nRun setup.\n\n## Use\n\nRun it.\n"
# An id that a refusal offers, as text or as data.
_ACCEPT = r'(?:"accept": ?"|candidate )([0-9a-f]{12})'
# A receipt, as text or as data; a refusal says `not_applied`.
APPLIED = r"(?<!not_)\bapplied"
_REFUSED = r'refused|not_applied|"ok": ?false'


def swapped(text: bytes, old: bytes, new: bytes, count: int = 1) -> bytes:
    assert old in text
    return text.replace(old, new, count)


_PLAIN = (
    Scenario(
        "plain edit",
        (edit("plain/app.py", "time.sleep(1)", "time.sleep(2)"),),
        ((APPLIED, r"6\|\s+time\.sleep\(2\)"),),
        {"plain/app.py": APP},
        {"plain/app.py": swapped(APP, b"sleep(1)", b"sleep(2)")},
        core=True,
    ),
    Scenario(
        "refusal, then accept",
        (
            edit("accept/app.py", "retries = 3", "retries = 5"),
            call("edit", edits=[{"accept": Earlier(_ACCEPT)}]),
        ),
        (("ambiguous", "2 places", _ACCEPT), (APPLIED, "retries = 5")),
        {"accept/app.py": APP},
        {"accept/app.py": swapped(APP, b"retries = 3", b"retries = 5")},
        core=True,
    ),
    Scenario(
        "a quote with a slip, then accept",
        (
            edit("slip/app.py", "tyme.sleep(1)\n    return url", "tyme.sleep(1)\n    return 1"),
            call("edit", edits=[{"accept": Earlier(_ACCEPT)}]),
        ),
        (("not-found", r"time\.sleep\(1\)", _ACCEPT), (APPLIED,)),
        {"slip/app.py": APP},
        {"slip/app.py": swapped(APP, b"return url", b"return 1")},
    ),
    Scenario(
        "layout need not be exact",
        (edit("layout/app.py", "retries = 3\ntime.sleep(1)", "retries = 9\ntime.sleep(1)"),),
        ((APPLIED,),),
        {"layout/app.py": APP},
        {"layout/app.py": swapped(APP, b"retries = 3", b"retries = 9")},
    ),
    Scenario(
        "two edits at once",
        (
            together(
                edit("both/app.py", "time.sleep(1)", "time.sleep(2)"),
                edit("both/app.py", "return item", "return [item]"),
            ),
        ),
        ((APPLIED, "!refused"),),
        {"both/app.py": APP},
        {
            "both/app.py": swapped(
                swapped(APP, b"sleep(1)", b"sleep(2)"), b"return item", b"return [item]"
            )
        },
        core=True,
    ),
    Scenario(
        "edits of several files, all or nothing",
        (
            call(
                "edit",
                reason="one change",
                edits=[
                    {"path": "many/a.py", "find": "return url", "content": "return [url]"},
                    {"path": "many/b.md", "segment": "Use", "part": "body", "content": "Start it."},
                ],
            ),
            call(
                "edit",
                edits=[
                    {"path": "many/a.py", "find": "return item", "content": "return None"},
                    {"path": "many/b.md", "find": "no such words at all", "content": "x"},
                ],
            ),
        ),
        ((APPLIED, "many/a.py", "many/b.md"), ("not-found", _REFUSED)),
        {"many/a.py": APP, "many/b.md": NOTES},
        {
            "many/a.py": swapped(APP, b"return url", b"return [url]"),
            "many/b.md": swapped(NOTES, b"Run it.", b"Start it."),
        },
    ),
    Scenario(
        "an edit that was made already",
        (edit("again/app.py", "return url", "return [url]"),) * 2,
        ((APPLIED,), (r"already|unchanged|no.?op",)),
        {"again/app.py": APP},
        {"again/app.py": swapped(APP, b"return url", b"return [url]")},
    ),
    Scenario(
        "a dry run writes nothing",
        (edit("dry/app.py", "return url", "return [url]", dry_run=True),),
        ((r"dry|would|verified|not written", r"return \[url\]"),),
        {"dry/app.py": APP},
    ),
)

_HEALED = (
    Scenario(
        "healed: names of other tools",
        (
            call(
                "edit",
                file_path="names/app.py",
                old_string="return url",
                new_string="return [url]",
            ),
        ),
        ((APPLIED, "healed|old_string"),),
        {"names/app.py": APP},
        {"names/app.py": swapped(APP, b"return url", b"return [url]")},
    ),
    Scenario(
        "healed: edits as a text of JSON",
        (
            call(
                "edit",
                edits=json.dumps(
                    [{"path": "text/app.py", "find": "return url", "content": "return [url]"}]
                ),
            ),
        ),
        ((APPLIED,),),
        {"text/app.py": APP},
        {"text/app.py": swapped(APP, b"return url", b"return [url]")},
    ),
    Scenario(
        "healed: one edit without a list",
        (
            call(
                "edit",
                edits={"path": "object/app.py", "find": "return url", "content": "return [url]"},
            ),
        ),
        ((APPLIED,),),
        {"object/app.py": APP},
        {"object/app.py": swapped(APP, b"return url", b"return [url]")},
    ),
    Scenario(
        "healed: a call wrapped once more",
        (
            call(
                "edit",
                arguments={
                    "edits": [{"path": "wrap/app.py", "find": "return url", "content": "return 1"}]
                },
            ),
        ),
        ((APPLIED,),),
        {"wrap/app.py": APP},
        {"wrap/app.py": swapped(APP, b"return url", b"return 1")},
    ),
    Scenario(
        "healed: replace_all as a text",
        (
            call(
                "edit",
                path="all/app.py",
                old_str="retries = 3",
                new_str="retries = 4",
                replace_all="true",
            ),
        ),
        ((APPLIED,),),
        {"all/app.py": APP},
        {"all/app.py": swapped(APP, b"retries = 3", b"retries = 4", 2)},
    ),
    Scenario(
        "healed: first and last line",
        (call("read", file_path="span/app.py", start_line="4", end_line="7"),),
        ((r"4\| def fetch", r"7\|\s+return url", "!def store"),),
        {"span/app.py": APP},
    ),
    Scenario(
        "a call that says two things comes with a try",
        (
            call(
                "edit",
                path="two/app.py",
                find="return url",
                old_string="return item",
                content="return None",
            ),
        ),
        (("bad-request", "try"),),
        {"two/app.py": APP},
    ),
)

_NAMED = (
    Scenario(
        "a segment by its name",
        (
            call("outline", path="named/worker.py"),
            call(
                "edit",
                edits=[
                    {
                        "path": "named/worker.py",
                        "segment": "Worker.run",
                        "part": "body",
                        "content": "return item * 2",
                    }
                ],
            ),
        ),
        (("Worker.run",), (APPLIED,)),
        {"named/worker.py": WORKER},
        {
            "named/worker.py": swapped(
                WORKER,
                b"        value = item\n        return value\n",
                b"        return item * 2\n",
            )
        },
    ),
    Scenario(
        "a method behind another",
        (
            call(
                "edit",
                edits=[
                    {
                        "path": "behind/worker.py",
                        "segment": "Worker.run",
                        "action": "after",
                        "content": "def pause(self):\n    return True",
                    }
                ],
            ),
        ),
        ((APPLIED,),),
        {"behind/worker.py": WORKER},
        {
            "behind/worker.py": swapped(
                WORKER,
                b"        return value\n\n",
                b"        return value\n\n    def pause(self):\n        return True\n\n",
            )
        },
    ),
    Scenario(
        "a segment that is not there",
        (
            call(
                "edit",
                edits=[{"path": "gone/worker.py", "segment": "Worker.runs", "action": "delete"}],
            ),
        ),
        (("unknown-segment", "Worker.run"),),
        {"gone/worker.py": WORKER},
    ),
    Scenario(
        "code with holes",
        (
            call(
                "edit",
                edits=[
                    {
                        "path": "holes/app.py",
                        "pattern": "time.sleep($N)",
                        "content": "pause($N)",
                    }
                ],
            ),
        ),
        ((APPLIED,),),
        {"holes/app.py": APP},
        {"holes/app.py": swapped(APP, b"time.sleep(1)", b"pause(1)")},
    ),
)

EDITS = (*_PLAIN, *_HEALED, *_NAMED)
