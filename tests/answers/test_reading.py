from keyhole.answers.reading import MOST_CHARACTERS, Hit, Hits, Outlined, OutlinedTree, capped


def test_hits_that_were_not_all_counted_say_so() -> None:
    hits = Hits((Hit("a.py", 1, 1, "x", before=("w",)),), total=9, is_counted=False)

    data = hits.as_data()

    assert data["total_is_least"] is True
    assert "at least" in hits.as_text()
    assert hits.hits[0].as_data()["before"] == ["w"]


def test_files_that_are_not_shown_are_counted() -> None:
    file = Outlined("a.py", "0" * 16, "python", ())

    assert (
        OutlinedTree(".", (file,), 3)
        .as_text()
        .endswith("(2 more files: name a directory or a longer query)")
    )
    assert OutlinedTree("src", (), 0).as_text() == "no such segments below src"


def test_an_outline_warns_of_its_template() -> None:
    template = {"id": "adr", "version": "1", "warnings": ["another version"]}
    file = Outlined("a.md", "0" * 16, "markdown", (), template=template)

    assert "  warning: another version" in file.as_text()


def test_rows_are_shown_as_far_as_one_answer_goes() -> None:
    row = "x" * (MOST_CHARACTERS // 2)

    assert capped(["a", "b"]) == (("a", "b"), False)
    assert capped([row, row, "c"]) == ((row,), True)
    assert capped([row * 3]) == (((row * 3)[:MOST_CHARACTERS],), True)
