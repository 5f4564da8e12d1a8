import pytest

from keyhole.segments.markdown import front_matter, intended_front_matter, opening_block
from tests.segments.reading import addresses, part, whole


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\ntitle: x\n---\n# A\n", "title: x\n"),
        ("---\ntitle: x\n...\n", "title: x\n"),
        ("---\n# a comment\ntags:\n- a\n-\n  nested: 1\n\nmore: [\n]\n---\n", None),
        ('---\n"quoted": 1\nkey: 2\n---\n', '"quoted": 1\nkey: 2\n'),
        ("---\r\ntitle: x\r\n---\r\n", "title: x\r\n"),
        ("---\n---\n", ""),
        ("+++\ntitle = 1\n+++\n", "title = 1\n"),
        ("--- \nkey: 1\n---", "key: 1\n"),
    ],
)
def test_front_matter_is_yaml_or_toml_at_the_very_start(text: str, body: str | None) -> None:
    matter = front_matter(text)

    assert matter is not None
    assert body is None or text[slice(*matter.parts["body"])] == body


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text\n---\nkey: 1\n---\n",
        " ---\nkey: 1\n---\n",
        "---\nFoo\n---\nBar\n---\n",
        "---\nkey: 1\n",
        "---\n\nparagraph\n\n---\n",
        "----\nkey: 1\n----\n",
        "+++\nkey = 1\n",
        "+++\nkey = 1\n---\n",
    ],
)
def test_anything_else_is_none(text: str) -> None:
    assert front_matter(text) is None


def test_comments_in_front_matter_are_no_sections() -> None:
    text = "---\n# not a heading\ntitle: x\n---\n\nintro\n\n# A\n"

    assert addresses("a.md", text) == ["frontmatter", "frontmatter.title", "preamble", "A"]
    assert whole("a.md", text, "frontmatter") == "---\n# not a heading\ntitle: x\n---\n"
    assert part("a.md", text, "frontmatter", "body") == "# not a heading\ntitle: x\n"


def test_two_rules_around_a_paragraph_stay_headings() -> None:
    assert addresses("a.md", "---\nFoo\n---\nBar\n---\n") == ["preamble", "Foo", "Bar"]


def test_what_is_meant_as_front_matter_has_a_key_right_below() -> None:
    assert intended_front_matter("---\na: 1\n---\n") == ("yaml", 4, 9, 13)
    assert intended_front_matter("+++\n# why\na = 1\n") == ("toml", 4, -1, -1)
    assert intended_front_matter("---\na: 1\na\n---\n") == ("yaml", 4, 11, 15)
    assert intended_front_matter("---\n\nA rule opens this text.\n\n---\n") is None
    assert intended_front_matter("a: 1\n") is None


def test_a_block_is_opened_whatever_it_holds() -> None:
    assert opening_block("---\nFoo\n...\nBar\n") == ("yaml", 4, 8, 12)
    assert opening_block("----\nFoo\n----\n") is None


def test_keys_of_front_matter_are_segments_below_it() -> None:
    text = "---\ntitle: x\nauthor:\n  name: y\ntags:\n- one\n---\n\n# title\n\ntext\n"
    below = ["title", "author", "author.name", "tags", "tags.0"]

    assert addresses("a.md", text) == [
        "frontmatter",
        *(f"frontmatter.{name}" for name in below),
        "title",
    ]
    assert whole("a.md", text, "frontmatter.author") == "author:\n  name: y\n"
    assert part("a.md", text, "frontmatter.title", "body") == "x"
    assert whole("a.md", text, "title") == "# title\n\ntext\n"
    toml = "+++\n[params]\nk = 1\n+++\n# A\n"
    assert addresses("a.mdx", toml) == [
        "frontmatter",
        "frontmatter.params",
        "frontmatter.params.k",
        "A",
    ]
