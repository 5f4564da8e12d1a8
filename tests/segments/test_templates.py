"""Blocks in files that people edited: at their place, or not offered."""

import pytest

from keyhole.segments.registry import outline
from keyhole.segments.templates import find_blocks
from keyhole.templates.chain import chain_of
from keyhole.templates.library import Library
from keyhole.templates.skeleton import skeleton_of
from keyhole.text.document import Document
from tests.templates.corpus import Shelf

PAGE = """\
# {{ title }}

{% block problem %}
## Problem

{{ problem }}
{% endblock %}

{% block decision %}
## Decision

{{ decision }}
{% endblock %}

{% block closing %}
{{ closing }}
{% endblock %}
---
Written with care.
"""
CODE = """\
import os


class {{ name }}:
    size = {{ size }}

    {% block fields %}
    {% for field in fields %}
    {{ field }}: int
    {% endfor %}
    {% endblock %}

    {% block run %}
    def run(self) -> None:
        {{ body }}
    {% endblock %}
"""


def blocks(template: str, text: str, path: str = "a.md") -> dict[str, str]:
    """Return the blocks that are offered, each with what it holds."""
    library = Library((Shelf({"t.j2": template}),))
    document = Document(text)
    found = find_blocks(
        skeleton_of(chain_of(library, "t.j2")), document, outline(path, document), None
    )
    return {block.name: text[slice(*block.span)] for block in found}


NEW = "# T\n\n## Problem\n\nslow\n\n## Decision\n\ncache\n\nbye\n\n---\nWritten with care.\n"


def test_blocks_of_an_unchanged_file() -> None:
    # What follows the hole of one block and precedes that of the next could be of either.
    assert blocks(PAGE, NEW) == {"problem": "## Problem\n\nslow\n"}


def test_sections_may_change_places() -> None:
    text = "# T\n\n## Decision\n\ncache\n\n## Problem\n\nslow\n\n---\nWritten with care.\n"

    assert blocks(PAGE, text)["decision"] == "## Decision\n\ncache\n"


def test_a_heading_that_is_there_twice_places_nothing() -> None:
    text = NEW.replace("slow", "slow\n\n## Problem\n\nslower")

    assert "problem" not in blocks(PAGE, text)


def test_a_heading_that_was_changed_takes_its_block_away_and_no_other() -> None:
    text = NEW.replace("## Decision", "## Choice")

    assert blocks(PAGE, text) == {"problem": "## Problem\n\nslow\n"}


def test_deeper_sections_belong_to_the_block_and_others_do_not() -> None:
    text = NEW.replace("slow\n", "slow\n\n### How slow\n\nvery\n\n## Aside\n\nwords\n")

    assert blocks(PAGE, text)["problem"] == "## Problem\n\nslow\n\n### How slow\n\nvery\n"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_ends_make_no_difference(end: str) -> None:
    found = blocks(PAGE, NEW.replace("\n", end))

    assert found["problem"] == "## Problem\n\nslow\n".replace("\n", end)


MODULE = (
    "import os\n\n\nclass A:\n    size = 1\n\n    x: int\n    y: int\n\n"
    "    def run(self) -> None:\n        return\n"
)


def test_code_between_lines_of_the_template() -> None:
    assert blocks(CODE, MODULE, "a.py") == {
        "fields": "    x: int\n    y: int\n",
        "run": "    def run(self) -> None:\n        return\n",
    }


def test_indented_code_ends_with_its_indentation() -> None:
    text = f"{MODULE}\n\ndef helper() -> None:\n    return\n"

    assert blocks(CODE, text, "a.py")["run"] == "    def run(self) -> None:\n        return\n"


def test_a_string_that_hides_the_indentation_places_nothing() -> None:
    text = MODULE.replace("        return\n", '        return """\nword\n"""\n')

    assert "run" not in blocks(CODE, text, "a.py")


def test_an_empty_block_has_a_place() -> None:
    text = MODULE.replace("    x: int\n    y: int\n\n", "")

    assert blocks(CODE, text, "a.py")["fields"] == ""


def test_a_block_inside_a_line() -> None:
    template = "Name: {% block name %}{{ name }}{% endblock %} (author)\n"

    assert blocks(template, "Name: Ada (author)\n") == {"name": "Ada"}


def test_an_empty_file_has_no_blocks() -> None:
    assert blocks(PAGE, "") == {}
