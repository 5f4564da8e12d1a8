"""The page on patches: its block is a patch, and what it says is refused is refused."""

import re
from pathlib import Path

import pytest

from keyhole.edits.model.operations import Edit
from keyhole.patches.common import MOST_OPERATIONS
from keyhole.patches.detect import MOST_CHARACTERS, parse
from keyhole.refusals import Refused

PAGE = (Path(__file__).parents[1] / "docs" / "patches.md").read_text(encoding="utf-8")


def test_the_block_of_the_page_is_read() -> None:
    [block] = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

    assert parse(block) == (Edit(path="src/app.py", find="retries = 3\n", content="retries = 5\n"),)


def test_the_limits_of_the_page_are_those_of_the_code() -> None:
    assert f"{MOST_CHARACTERS >> 20} Mi\ncharacters and {MOST_OPERATIONS:,} hunks" in PAGE
    for patch in ("@" * (MOST_CHARACTERS + 1), "--- a\n+++ a\n" + "@@\n+x\n" * 10_001):
        with pytest.raises(Refused) as caught:
            parse(patch)
        assert caught.value.refusals[0].code == "too-large"
