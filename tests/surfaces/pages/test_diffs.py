"""What stands in a diff beside its lines."""

from keyhole.answers.side_by_side import SideBySide, sides
from keyhole.engine.history.compare import FileComparison
from keyhole.surfaces.pages.diffs import Shown, diff
from keyhole.text.document import Document


def shown(before: str, after: str) -> str:
    return diff(FileComparison("a.txt", sides(Document(before), Document(after))), Shown())


def test_a_file_that_cannot_be_shown_says_why() -> None:
    page = diff(FileComparison("a.txt", SideBySide((), 0, 0), note="it is <binary>"), Shown())

    assert page == '<p class="empty">it is &lt;binary&gt;</p>'


def test_a_line_says_that_its_end_is_another() -> None:
    assert 'class="eol"' in shown("a\nb\n", "a\nb\r\n")


def test_what_is_too_long_to_unfold_is_counted() -> None:
    lines = "".join(f"{number}\n" for number in range(500))

    assert '<div class="fold long">497 unchanged lines</div>' in shown(f"{lines}a\n", f"{lines}b\n")
