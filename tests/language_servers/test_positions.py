"""Lines and columns of the protocol, whatever ends a line and however wide a character is."""

import pytest

from keyhole.language_servers.positions import ProtocolLines

TEXT = "a\r\nb𝄞c\rd\né"


@pytest.mark.parametrize(
    ("offset", "place"),
    [
        *((0, (0, 0)), (1, (0, 1)), (3, (1, 0)), (4, (1, 1)), (5, (1, 3))),
        *((7, (2, 0)), (9, (3, 0)), (10, (3, 1))),
    ],
)
def test_an_offset_is_a_place_and_back(offset: int, place: tuple[int, int]) -> None:
    lines = ProtocolLines(TEXT)

    assert lines.position(offset) == place
    assert lines.offset(*place) == offset


@pytest.mark.parametrize("place", [(-1, 0), (9, 0), (0, 99), (1, 2), (3, 2)])
def test_a_place_that_the_text_does_not_have_is_none(place: tuple[int, int]) -> None:
    assert ProtocolLines(TEXT).offset(*place) is None
