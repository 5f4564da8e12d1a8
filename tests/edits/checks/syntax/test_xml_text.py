import pytest

from keyhole.edits.checks.syntax.config import xml_problems


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<a/>",
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n<a>é</a>',
        "<!DOCTYPE html PUBLIC 'x' 'y.dtd'><html>&nbsp;</html>",
        "<a>caf\udce9</a>",
        "<a>\r\n</a>\r\n",
    ],
)
def test_sound_xml_has_no_problems(text: str) -> None:
    assert xml_problems(text) == ()


@pytest.mark.parametrize(
    ("text", "start", "message"),
    [
        ("<a>\n<b></a>", 9, "mismatched tag"),
        ("<a>é <b></c></a>", 10, "mismatched tag"),
        ("<a x='1' x='2'/>", 9, "duplicate attribute"),
        ("<a>& b</a>", 4, "not well-formed (invalid token)"),
        ("<a/><b/>", 4, "junk after document element"),
        ("<a>\n", 4, "no element found"),
        ("<a>&nbsp;</a>", 3, "undefined entity"),
    ],
)
def test_what_is_wrong_is_told_by_its_place(text: str, start: int, message: str) -> None:
    (problem,) = xml_problems(text)

    assert (problem.start, problem.message, problem.doubtful) == (start, message, False)


def test_a_bomb_of_entities_does_not_go_off() -> None:
    names = [f"<!ENTITY e{n} '{f'&e{n - 1};' * 10 if n else 'ha' * 10}'>" for n in range(30)]
    bomb = f"<!DOCTYPE a [{''.join(names)}]>"

    assert xml_problems(f"{bomb}<a>&e29;</a>") == ()
    assert xml_problems(f"{bomb}<a b='&e29;'/>") == ()


def test_files_outside_are_not_read() -> None:
    text = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>"

    assert xml_problems(text) == ()


def test_a_template_is_doubtful() -> None:
    (problem,) = xml_problems("<a>{% if x %}<b>{% endif %}</a>")

    assert problem.doubtful
