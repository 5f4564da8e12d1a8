"""The tree of a terminal says what the text says."""

from keyhole.answers.reading import Outlined, SegmentRow
from keyhole.surfaces.cli.outline import drawn


def test_the_template_of_a_file_its_warnings_and_gaps_are_told() -> None:
    told = {"id": "design", "version": "1a2b3c4d", "warnings": ["made with an older one"]}
    file = Outlined("a.md", "hash", "markdown", (SegmentRow("A", "section", (1, 2), "", {}),))
    made = Outlined(file.path, file.hash, file.language, file.rows, template=told)

    broken = Outlined("a.py", "hash", "python", (), unreadable=((3, 4),))

    assert drawn(broken) == broken.as_text() == "a.py hash python\n  lines 3-4 could not be read"
    assert drawn(file) == "a.md hash markdown\n└── A  section 1-2"
    assert drawn(made).split("\n")[1:3] == made.as_text().split("\n")[1:3]
    assert drawn(made).split("\n")[1:] == [
        "  template design 1a2b3c4d",
        "  warning: made with an older one",
        "└── A  section 1-2",
    ]
