from hypothesis import given
from hypothesis import strategies as st

from keyhole.segments.markdown import read_markdown
from keyhole.segments.mdx import blanker_of, is_mdx, without_jsx
from tests.segments.reading import assert_lawful, document, read

TABS = """\
# Guide

## Install

<Tabs>
<Tab value="npm">
```sh
npm i x

npm test
```
</Tab>
</Tabs>

## Configure

text

## Usage
"""


def sections(text: str) -> list[str]:
    return [one.address for one in read("a.mdx", text).segments if one.kind == "section"]


def test_a_fence_right_below_a_tag_is_a_fence() -> None:
    assert sections(TABS) == ["Guide", "Guide::Install", "Guide::Configure", "Guide::Usage"]


def test_markdown_itself_has_blocks_of_html() -> None:
    found = [one.address for one in read("a.md", TABS).segments if one.kind == "section"]

    assert found == ["Guide", "Guide::Install"]


def test_a_tag_may_have_lines_and_hold_what_looks_like_a_heading() -> None:
    text = (
        '## A\n\n<Card\n  title="a > b"\n  body={`\n# no\n\n## no\n`}\n>\ntext\n</Card>\n\n## B\n'
    )

    assert sections(text) == ["A", "B"]


def test_expressions_comments_and_modules_hold_no_headings() -> None:
    text = (
        "import {\n\n# no\n} from 'x'\n\nexport const a = `\n# no\n\n# no\n`\n\n# A\n\n"
        "{/*\n## no\n\n## no */}\n\n<!--\n## no\n\n## no\n-->\n\n## B\n"
    )

    assert sections(text) == ["A", "A::B"]


def test_a_rule_below_a_tag_makes_no_heading_of_it() -> None:
    assert sections("## A\n\n<Tabs><Tab>\n---\n</Tab></Tabs>\n===\n\n## B\n") == ["A", "B"]


def test_text_behind_a_tag_begins_no_heading() -> None:
    assert sections("<b># no</b>\n\n# A\n") == ["A"]


def test_what_is_no_tag_stays() -> None:
    text = "## A\n\n< 3 and <a\n\n## B\n\n{ open\n\n## C\n\n<!-- open\n\n## D\n"

    assert sections(text) == ["A", "B", "C", "D"]


def test_prose_that_begins_with_a_word_of_modules_stays() -> None:
    assert sections("text\nimport the rest\n# A\n") == ["A"]


def test_a_fence_deeper_than_code_is_a_fence() -> None:
    text = "## A\n\n<Step>\n    ```sh\n# no\n    ```\n</Step>\n\n## B\n"

    assert sections(text) == ["A", "B"]


def test_a_fence_in_a_list_or_a_quote_ends_with_it() -> None:
    assert sections("- a\n  ```\n  x\n\n# A\n\n> ```\n> x\n\n# B\n") == ["A", "B"]


def test_a_fence_that_stays_open_holds_the_rest() -> None:
    assert sections("# A\n\n```\n<b>\n# no\n") == ["A"]


def test_it_is_known_by_its_name() -> None:
    assert is_mdx("docs/A.MDX")
    assert blanker_of("a.md")("<b>") == "<b>"


LINES = st.sampled_from(
    [
        *("# A", "## B ##", "Title", "===", "---", "", "text", "- item", "  more", "1. one"),
        *("```", "```sh", "~~~", "````", "  ```", "> quote", "> ```", "> # no", "| a |", "|---|"),
        *("a < b", "a {b} c", "`<b>`", "\\# x", "   # C", "*a*"),
    ]
)
TAGS = st.sampled_from(
    [*("<b>", "<Tab a={1}>", "</Tab>", "<a", "{", "}", "{a}", "import a", "'", '"', "<!--", "`")]
)


@given(st.lists(LINES, max_size=14))
def test_a_text_without_tags_is_read_as_markdown(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)

    assert read_markdown(text, without_jsx).segments == read_markdown(text).segments


@given(st.lists(st.one_of(LINES, TAGS), max_size=14))
def test_any_text_has_a_lawful_outline(lines: list[str]) -> None:
    text = "\n".join(lines)

    assert len(without_jsx(text)) == len(text)
    assert_lawful(read("a.mdx", text), document(text).text)
