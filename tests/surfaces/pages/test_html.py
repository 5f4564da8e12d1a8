import html
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from keyhole.surfaces.pages.html import Html, attribute, join, link, tag, text, url

# What HTML can carry: a NUL and lone surrogates become U+FFFD, as do two ranges of controls.
WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"))


class Reader(HTMLParser):
    """Reads a document as a browser would: its text, its tags, its attributes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.words, self.tags = "", list[tuple[str, dict[str, str | None]]]()
        self.feed(source)
        self.close()

    def handle_data(self, data: str) -> None:
        self.words += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@given(WORDS)
def test_text_makes_no_tags_but_the_marks_of_hidden_characters(words: str) -> None:
    read = Reader(text(words))

    assert {name for name, _ in read.tags} <= {"span"}
    assert all(each["class"] == "ctl" for _, each in read.tags)
    kept = "".join(each for each in words if not "\x7f" <= each <= "\x9f")
    assert read.words.replace("\ufffd", "") == kept.replace("\ufffd", "")


@given(WORDS, WORDS)
def test_an_attribute_reads_as_it_was_given(value: str, inner: str) -> None:
    read = Reader(f'<p title="{attribute(value)}" data-x="{attribute(inner)}">')

    assert read.tags == [("p", {"title": value, "data-x": inner})]


def test_an_element_escapes_text_and_takes_html_as_it_is() -> None:
    made = tag("p", "a < b", tag("b", "&"), None, ["c", Html("<i></i>")], class_="x", data_n=1)

    assert made == '<p class="x" data-n="1">a &lt; b<b>&amp;</b>c<i></i></p>'
    assert tag("input", checked=True, disabled=False, value=None) == "<input checked>"
    assert join(["<", Html("<br>")]) == "&lt;<br>"


def test_a_link_without_a_target_is_its_words() -> None:
    assert link("", "x", class_="c", rel="next") == '<span class="c">x</span>'
    assert link("/a?b=1&c=2", "x") == '<a href="/a?b=1&amp;c=2">x</a>'


def test_an_address_leaves_empty_words_out_and_quotes_the_rest() -> None:
    assert url("/file", path="a b/ü&<", segment="") == "/file?path=a+b%2F%C3%BC%26%3C"
    assert url("/tx/1 2") == "/tx/1%202"


def test_a_character_that_hides_itself_stands_beside_its_number() -> None:
    assert text("a\u202eb") == 'a<span class="ctl" data-code="U+202E">\u202e</span>b'
    assert text("\x00") == '<span class="ctl" data-code="U+0000">\ufffd</span>'
    assert html.unescape(text("'\"")) == "'\""
    assert text("\ud800") == "\ufffd"
