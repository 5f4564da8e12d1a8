"""Blanks that are text: code in Markdown and scalars of YAML are written as they were sent."""

from hypothesis import given
from hypothesis import strategies as st

from keyhole.edits.by_name.layout import verbatim
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import Snapshot
from keyhole.edits.resolve import resolve
from keyhole.text.document import Document

BLANKS = st.text(st.sampled_from(" \t"), max_size=6)
CODE = st.lists(st.tuples(BLANKS, st.sampled_from(["", "a", "b", "# c"])), min_size=1, max_size=5)
# A line of nothing but blanks is moved as an empty one.
TEXT = st.lists(st.tuples(BLANKS, st.sampled_from(["a", "b", "# c"])), min_size=1, max_size=5)
Code = list[tuple[str, str]]


def spelled(code: Code, indent: str = "") -> str:
    return "".join(f"{indent}{blanks}{word}\n" for blanks, word in code)


def edited(path: str, text: str, **fields: str) -> str:
    edit = Edit.of({"path": path, **fields})
    (file,) = resolve([edit], Snapshot({path: Document(text)})).files
    assert file.after is not None
    return file.after.text


def section(code: Code) -> str:
    return f"## Build\n\nText.\n\n```make\n{spelled(code)}```\n"


@given(CODE, CODE)
def test_a_section_has_the_code_that_was_sent(old: Code, new: Code) -> None:
    before, behind = "# Guide\n\n", "\n## Use\n"

    after = edited("m.md", before + section(old) + behind, segment="Build", content=section(new))

    assert after == before + section(new) + behind


@given(CODE, CODE)
def test_a_body_has_the_code_that_was_sent(old: Code, new: Code) -> None:
    body = section(new).partition("\n\n")[2]

    after = edited("m.md", section(old), segment="Build", part="body", content=body)

    assert after == section(new)


@given(TEXT, TEXT)
def test_a_scalar_has_the_text_that_was_sent(old: Code, new: Code) -> None:
    def job(code: Code) -> str:
        return f"job:\n  run: |\n    make\n{spelled(code, '    ')}    end\n  name: x\n"

    after = edited("m.yaml", job(old), segment="job", content=job(new))

    assert after == job(new)


def test_lines_of_text_are_known() -> None:
    assert verbatim("markdown", ["a", "```", " b", "```", "c", "", "    d", "    e"]) == {2, 3, 7}
    assert verbatim("yaml", ["a: |", "  b", "", "c: >-  # d", "  e", "- |", "  f"]) == {1, 2, 4, 6}
    assert verbatim("yaml", ["- a: |", "    b", "  c: 1", "# x: |", "d: 1"]) == {1}
    assert verbatim("html", ["<pre>", " a", "</pre>", "<PRE>", "b"]) == {1, 2, 4}
    assert verbatim("python", ["x"]) == frozenset()
