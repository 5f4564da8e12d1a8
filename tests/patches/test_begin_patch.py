"""V4A as models write it: a hunk lands where its lines stand once, whatever its anchor is."""

import json

import pytest

from keyhole.edits.model.hunk import Hunk
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.patches.detect import parse
from keyhole.refusals import Refused
from keyhole.text.document import Document
from tests.patches.codex_judge import JUDGED, by_keyhole

FILE = """import os

class A:
    def load(self):
        self.value = read(1)
        return self.value

class B:
    def load(self):
        value = read(2)
\treturn value
"""
HUNK = "-        value = read(2)\n+        value = read(3)\n"
MEANT = FILE.replace("read(2)", "read(3)")


def update(body: str, before: str = "*** Begin Patch\n*** Update File: f.txt\n") -> str:
    return f"{before}{body}*** End Patch\n"


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param(update(f"@@     def load(self):\n{HUNK}"), id="an anchor that repeats"),
        pytest.param(update(f"@@ class B:\n class B:\n     def load(self):\n{HUNK}"), id="echo"),
        pytest.param(
            update(f"@@ def load(self):\n class B:\n     def load(self):\n{HUNK}"), id="inside"
        ),
        pytest.param(update(f"@@\n class B:\n     def load(self):\n@@\n{HUNK}"), id="context only"),
        pytest.param(update(f"\n@@\n{HUNK}"), id="a blank line before"),
        pytest.param(update(f"@@\n{HUNK}\n@@ class B:\n{HUNK}"), id="a blank line between"),
        pytest.param(
            update(f"@@\n{HUNK} ", "*** Begin Patch\n  *** Update File: f.txt\n"), id="padded"
        ),
        pytest.param(
            update(f"@@\n{HUNK}", "  *** Begin Patch\n\t*** Update File: f.txt\n"), id="all padded"
        ),
        pytest.param(update(f"@@\n    def load(self):\n{HUNK}"), id="lost spaces"),
        pytest.param(update(f"@@\nclass B:\n    def load(self):\n{HUNK}"), id="lost marks"),
        pytest.param(update(f"@@\n class B:\n    def load(self):\n{HUNK}"), id="one lost mark"),
        pytest.param(update(f"@@ -9,3 +9,3 @@ class B:\n{HUNK}"), id="numbers"),
        pytest.param(update(f"@@ @@\n{HUNK}"), id="two marks"),
        pytest.param(update(f"@@ class B: @@\n{HUNK}"), id="an anchor between marks"),
        pytest.param(update(f"***\n@@\n{HUNK}***\n"), id="bare stars"),
        pytest.param(update(f"@@ load(\n{HUNK}"), id="a part that repeats"),
        pytest.param(update(f"@@ s B\n{HUNK}"), id="a part of a line"),
        pytest.param(update(f"@@ class Bee:\n     def load(self):\n{HUNK}"), id="a wrong anchor"),
        pytest.param(update(f"@@ nowhere\n{HUNK}"), id="a wrong anchor, and one line"),
        pytest.param(update(f"@@\n{HUNK} \\treturn value\n"), id="a tab written out"),
    ],
)
def test_a_hunk_whose_lines_stand_once_lands_in_every_form(patch: str) -> None:
    assert by_keyhole(FILE, patch) == MEANT


def test_an_envelope_without_a_header_is_for_the_path_that_is_given() -> None:
    documents = {"f.txt": Document.from_bytes(FILE.encode())}
    patch = f"*** Begin Patch\n@@\n{HUNK}*** End Patch\n"

    [file] = resolve(parse(patch, "f.txt"), Snapshot(documents)).files
    assert file.after is not None
    assert file.after.text == MEANT
    with pytest.raises(Refused, match="the patch names no file"):
        parse(patch)


def test_a_padded_header_after_a_hunk_begins_another_file() -> None:
    body = f"@@\n{HUNK}  *** Update File: g.txt\n@@\n-x\n+y\n"

    assert [each.path for each in parse(update(body))] == ["f.txt", "g.txt"]
    kept = parse(update("@@\n *** Update File: g.txt\n-x\n+y\n"))
    assert [each.path for each in kept] == ["f.txt"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("@@ class A:\n     def load(self):\n", id="only kept lines"),
        pytest.param("@@ nowhere\n     def load(self):\n+        x = 1\n", id="lines twice"),
        pytest.param("@@ nowhere\n-        value = read( 2)\n+\n", id="no anchor, other blanks"),
        pytest.param("@@     def load(self):\n+        x = 1\n", id="nothing but a double anchor"),
        pytest.param("@@ class B:\n-import os\n+import re\n", id="lines above the anchor"),
        pytest.param("*** Rename File: g.txt\n@@\n-x\n+y\n", id="an unknown mark"),
    ],
)
def test_a_hunk_that_its_lines_do_not_place_is_refused(body: str) -> None:
    assert by_keyhole(FILE, update(body)) is None


def test_a_line_without_a_word_needs_its_anchor() -> None:
    before = "int f() {\n  return 1;\n}\n"

    assert by_keyhole(before, update("@@ int g() {\n-}\n+};\n")) is None
    assert by_keyhole(before, update("@@ int f() {\n-}\n+};\n")) == before.replace("\n}", "\n};")


def test_what_codex_makes_of_patches_keyhole_makes_too() -> None:
    """See `codex_judge` for where the verdicts come from."""
    judged = json.loads(JUDGED.read_text(encoding="utf-8"))

    assert len(judged) == 80
    for each in judged:
        assert by_keyhole(each["before"], each["patch"]) == each["after"], each["patch"]


@pytest.mark.parametrize("line", ["*** End of File", "\\ No newline at end of file", " "])
def test_a_piece_without_words_is_no_anchor(line: str) -> None:
    [hunk] = parse(
        f"*** Begin Patch\n*** Update File: empty.txt\n{line}\n@@\n+new\n*** End Patch\n"
    )

    assert isinstance(hunk, Hunk)
    assert (hunk.anchors, hunk.new) == ((), ["new"])
