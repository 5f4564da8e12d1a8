from keyhole.edits.by_name.layout import keep


def test_the_same_lines_are_the_same_lines() -> None:
    assert keep(["a", "b"], ["a", "b"]) == ["a", "b"]


def test_blank_lines_are_those_of_the_file() -> None:
    assert keep(["a", "", "c"], ["a", "  \t", "b"]) == ["a", "  \t", "c"]


def test_tabs_and_spaces_are_those_of_the_file() -> None:
    assert keep(["    a", "x"], ["\ta", "b"]) == ["\ta", "x"]


def test_blanks_at_the_end_are_those_of_the_text() -> None:
    assert keep(["a", "b  "], ["a  ", "b"]) == ["a", "b  "]


def test_a_value_is_taken_to_the_character() -> None:
    assert keep(["    a", ""], ["\ta", " "], {0, 1}, {0, 1}) == ["    a", ""]
