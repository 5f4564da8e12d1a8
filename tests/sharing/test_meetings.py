"""Where two checkouts meet, said in lines of the text as it reads."""

from keyhole.journal.model import Call, Entry, EntryDraft
from keyhole.sharing.meetings import lines_of
from keyhole.sharing.sides import Stretch

ENTRY = Entry("1-0000", 1, EntryDraft("0" * 12, 0.0, Call(), ()))


def test_an_encoding_that_a_text_declares_moves_no_line() -> None:
    text = "# -*- coding: latin-1 -*-\nß = 'ß'\nx = 2\n"
    start = text.index("x = 2")

    assert lines_of(text, Stretch(start, len(text), ENTRY)) == (3, 3)
