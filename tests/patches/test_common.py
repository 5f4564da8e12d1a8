"""What becomes of the line ends of a patch."""

import re

from keyhole.patches.common import lines_of

OWN = re.compile("@@")


def test_a_patch_converted_as_a_whole_says_nothing_of_line_ends() -> None:
    assert lines_of("@@\r\n-a\r\n+b\r\n", OWN) == ["@@", "-a", "+b", ""]
    assert lines_of("-a\r\n+b\r\n", OWN) == ["-a", "+b", ""]


def test_a_patch_whose_own_lines_are_plain_says_how_each_line_ends() -> None:
    assert lines_of("@@\n-a\r\n+b\n", OWN) == ["@@", "-a\r", "+b", ""]
    assert lines_of("@@\n-a\n", OWN) == ["@@", "-a", ""]
