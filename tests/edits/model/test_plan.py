from keyhole.edits.model.plan import Diagnostic, FilePlan, Plan
from keyhole.text.changes import ChangeSet
from keyhole.text.document import Document

ONE, TWO = Document.from_bytes(b"one\n"), Document.from_bytes(b"two\n")


def test_a_file_is_unchanged_if_its_bytes_are() -> None:
    assert FilePlan("a", ONE, Document.from_bytes(b"one\n"), ChangeSet(4)).is_unchanged
    assert not FilePlan("a", ONE, TWO, ChangeSet(4)).is_unchanged
    assert not FilePlan("a", None, ONE, ChangeSet(0)).is_unchanged
    assert not FilePlan("a", ONE, None, ChangeSet(4)).is_unchanged
    assert FilePlan("a", None, None, ChangeSet(0)).is_unchanged


def test_a_plan_is_empty_if_no_file_changes() -> None:
    same = FilePlan("a", ONE, ONE, ChangeSet(4))

    assert Plan(()).is_empty
    assert Plan((same,)).is_empty
    assert not Plan((same, FilePlan("b", ONE, TWO, ChangeSet(4)))).is_empty


def test_a_diagnostic_is_data() -> None:
    assert Diagnostic("error", "syntax-broken", "no", 3, 1).as_data() == {
        "severity": "error",
        "code": "syntax-broken",
        "message": "no",
        "line": 3,
        "column": 1,
        "new": True,
    }
