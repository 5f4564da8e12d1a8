from keyhole.edits.by_text.target import KnownVersions, Target
from keyhole.text.document import Document
from keyhole.text.indent import IndentStyle


def test_only_versions_that_differ_are_bases() -> None:
    now, older = Document.from_bytes(b"now\n"), Document.from_bytes(b"older\n")
    target = Target("a.txt", now, KnownVersions(lambda: (now, older)))

    assert [base.document for base in target.bases] == [older]
    assert Target("a.txt", now).bases == ()


def test_a_target_knows_its_style_and_its_parts() -> None:
    target = Target("a.py", Document.from_bytes(b"def f():\n  return 1\n"))

    assert target.style == IndentStyle(" ", 2)
    assert [segment.address for segment in target.outline.segments] == ["f"]
    assert target.view is target.view


def test_quotes_tell_how_tabs_and_spaces_were_exchanged() -> None:
    text = b".. a::\n   one\n\n.. b::\n    two\n    three\n    four\n/*\n * five\n */\n"
    document = Document.from_bytes(text)

    rule = Target("a.txt", document, quotes=("/*\n * five", ".. b::\n\ttwo")).exchange
    assert rule is not None
    assert [rule(indent) for indent in ("\t", "\t\t", " ")] == ["    ", "        ", " "]
    wide = Document.from_bytes("    `a`\uff0cb\n".encode())
    assert Target("a.txt", wide, quotes=("\t`a`\uff0cb", "x")).exchange is not None
    assert Target("a.txt", document, quotes=("\ttwo",)).exchange is None
    assert Target("a.txt", document, quotes=("    two", "three")).exchange is None
