import time

import pytest

from keyhole.edits.checks.markdown_checks import new_warnings

HERE = {"docs/b.md", "docs/img/a b.png", "README.md", "docs"}


def told(after: str, before: str | None = None, path: str = "docs/a.md") -> list[tuple[str, str]]:
    found = new_warnings(path, before, after, HERE.__contains__)
    assert all(each.doubtful for each in found)
    return [(each.code, each.message) for each in found]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# A\n\n## B\n\n### C\n\n## D\n\n# E\n",
        "## A\n\n# B\n",
        "---\ntitle: x\n---\n\n# A\n\n## B\n",
        "# A\n\n```\n#### not a heading\n[x](nope.md)\n```\n",
    ],
)
def test_a_text_in_order_has_nothing_to_tell(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize("text", ["# A\n\n### B\n", "A\n=\n\n### B ###\n", "> # A\n>\n> ### B\n"])
def test_a_level_left_out_is_told(text: str) -> None:
    assert told(text) == [("heading-jump", "heading `B` is of level 3 below level 1")]


@pytest.mark.parametrize(
    "text",
    [
        "# A\n\n## B c\n\n## B c\n",
        "# B `c`\n\n## B C!\n",
        "# B [c](b.md)\n\n## *B* c\n",
    ],
)
def test_an_anchor_there_twice_is_told(text: str) -> None:
    assert told(text) == [("duplicate-anchor", "the anchor #b-c is there twice")]


def test_a_pattern_of_headings_repeats_below_others() -> None:
    log = "# Log\n\n## 2\n\n### Added\n\n### Fixed\n\n## 1\n\n### Added\n\n### Fixed\n"

    assert told(log) == []
    assert told(f"{log}\n### Added\n") == [("duplicate-anchor", "the anchor #added is there twice")]


@pytest.mark.parametrize(
    "target",
    [
        "b.md",
        "./b.md#part",
        "img/a%20b.png",
        "<img/a b.png>",
        "../README.md?raw=1",
        "../docs",
        "../../outside.md",
        "/absolute.md",
        "https://a.b/c",
        "mailto:a@b.c",
        "//a.b/c",
        "{{ url }}",
        "",
        "#a",
        "#A-1",
        "#here",
        "#there",
    ],
)
def test_a_link_that_leads_somewhere_is_fine(target: str) -> None:
    html = "<a name=\"here\"></a> <b id='there'>x</b>"

    assert told(f"# A\n\n[x]({target}) {html}\n\nA\n=\n", path="docs/a.md")[1:] == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[x](nope.md)", "the link leads to nope.md, which does not exist"),
        ("![x](img/c.png)", "the link leads to img/c.png, which does not exist"),
        ("[x][y]\n\n[y]: nope.md#z\n", "the link leads to nope.md, which does not exist"),
        ("[x](#nowhere)", "no heading has the anchor #nowhere"),
    ],
)
def test_a_link_that_leads_nowhere_is_told(text: str, said: str) -> None:
    assert told(text) == [("broken-link", said)]


@pytest.mark.parametrize(
    ("text", "label"), [("[x][nope]", "nope"), ("![x][nope]", "nope"), ("[nope][]", "nope")]
)
def test_a_reference_to_nothing_is_told(text: str, label: str) -> None:
    assert told(text) == [("undefined-reference", f"no link is defined for [{label}]")]


@pytest.mark.parametrize(
    "text",
    [
        "[x][Yes  it is]\n\n[yes it IS]: b.md\n",
        "`[x][nope]`",
        "``a ` [x][nope]``",
        "```\n[x][nope]\n```",
        r"\[x][nope]",
        "a[0][1]",
        "[just brackets]",
        "[x](b.md)[y](b.md)",
    ],
)
def test_what_only_looks_like_a_reference_is_text(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text", ["```\nx\n", "~~~~\nx\n~~~\n", "```", "- a\n\n  ```\n  x\n", "> ```\n> x\n"]
)
def test_a_fence_that_is_open_is_told(text: str) -> None:
    assert told(text) == [("unclosed-fence", "a code fence is not closed")]


@pytest.mark.parametrize(
    "text",
    [
        "```\nx\n```\n",
        "~~~\n```\n~~~~",
        "    indented\n",
        "> ```\n> x\n> ```\n",
        "- ```\n  x\n  ```\n",
    ],
)
def test_a_fence_that_is_closed_is_fine(text: str) -> None:
    assert told(text) == []


def test_only_what_the_edit_brought_is_told() -> None:
    before = "# A\n\n### B\n\n[x](nope.md)\n"

    assert told(f"{before}\nmore\n", before) == []
    assert told(f"{before}\n[x](nope.md)\n", before) == [
        ("broken-link", "the link leads to nope.md, which does not exist")
    ]


def test_a_heading_that_is_renamed_breaks_its_links() -> None:
    before = "# A\n\n[x](#a)\n"

    assert told(before.replace("# A", "# B"), before) == [
        ("broken-link", "no heading has the anchor #a")
    ]


@pytest.mark.parametrize(
    "line", ["[a](#a) and [t][a]\n\n", "`code` and [t][a]\n\n"], ids=["links", "code"]
)
def test_many_links_and_references_are_checked_at_once(line: str) -> None:
    text = f"# A\n\n{line * 10_000}[a]: https://example.org\n"
    begun = time.process_time()

    assert told(text) == []
    assert time.process_time() - begun < 2
