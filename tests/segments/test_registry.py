from keyhole.segments.languages.table import language_of
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from tests.segments.reading import document


def test_an_outline_is_remembered_by_the_text_itself() -> None:
    first = outline("a.py", document("def f(): pass\n"))

    assert outline("other/b.py", document("def f(): pass\n")) is first


def test_nothing_stale_is_served_even_under_a_hash_that_lies() -> None:
    before, after = Document("def f(): pass\n"), Document("def g(): pass\n")
    before.__dict__["hash"] = after.__dict__["hash"] = "0" * 16

    assert [segment.name for segment in outline("a.py", before).segments] == ["f"]
    assert [segment.name for segment in outline("a.py", after).segments] == ["g"]


def test_one_text_in_two_languages_has_two_outlines() -> None:
    text = document("# Title\n")

    assert [segment.kind for segment in outline("a.md", text).segments] == ["section"]
    assert outline("a.py", text).segments == ()


def test_a_file_of_unknown_type_has_an_empty_outline() -> None:
    unknown = outline("notes.xyz", document("def f(): pass\n"))

    assert (unknown.language, unknown.segments, unknown.kinds) == ("text", (), ())
    assert unknown.unreadable == ()


def test_the_registry_also_tells_the_language() -> None:
    assert language_of("a.go", document("")) == "go"
