import pytest

from keyhole.edits.checks.guards import mixed_encodings
from keyhole.edits.checks.validate import check_file
from keyhole.edits.model.plan import FilePlan
from keyhole.text.changes import Change, ChangeSet
from keyhole.text.document import Document
from tests.edits.planned import created


def changed(path: str, before: bytes, change: Change) -> FilePlan:
    document = Document.from_bytes(before)
    changes = ChangeSet(len(document.text), (change,))
    return FilePlan(path, document, document.with_text(changes.apply(document.text)), changes)


@pytest.mark.parametrize(
    ("before", "new", "told"),
    [
        (b"caf\xe9 a\n", "é", ["mixed-encodings"]),
        (b"caf\xe9 a\n", "b", []),
        (b"caf\xe9 a\n", "\udce9", []),
        ("café a\n".encode(), "é", []),
    ],
)
def test_two_encodings_in_one_file_are_told(before: bytes, new: str, told: list[str]) -> None:
    found = mixed_encodings(changed("a.txt", before, Change(5, 6, new)))

    assert [problem.code for problem in found] == told


def test_a_new_file_has_one_encoding() -> None:
    assert list(mixed_encodings(created("a.txt", "é\n"))) == []


def test_it_stops_nothing_and_hides_nothing() -> None:
    found = check_file(changed("a.json", b'{"k": "\xe9", "a": 1}\n', Change(16, 17, '"é')), bool)

    assert [(each.code, each.doubtful) for each in found.new] == [
        ("syntax-broken", False),
        ("mixed-encodings", True),
    ]
