import sysconfig
from collections import Counter
from pathlib import Path

import pytest

from bench.corpus import compare_file, differences, known_to_ast
from keyhole.fastclasses import replace
from keyhole.segments.outline import Outline
from tests.segments.reading import (
    addresses,
    assert_lawful,
    document,
    found,
    lines,
    part,
    read,
    refusal,
    segment,
    whole,
)

MODULES = (
    "argparse ast asyncio/base_events asyncio/tasks base64 bisect calendar codecs"
    " collections/__init__ concurrent/futures/_base contextlib copy csv dataclasses datetime"
    " decimal dis email/message enum fractions functools heapq http/client inspect io json/decoder"
    " ipaddress keyword logging/__init__ os pickle plistlib random shutil statistics subprocess"
    " tarfile textwrap tokenize typing unittest/mock"
)


def kinds(text: str) -> dict[str, str]:
    return {one.address: one.kind for one in read("a.py", text).segments}


def test_every_definition_of_many_modules_is_found_with_its_lines(
    capsys: pytest.CaptureFixture[str],
) -> None:
    home = Path(sysconfig.get_paths()["stdlib"])
    counted: Counter[str] = Counter()

    for name in MODULES.split():
        compare_file(home / f"{name}.py", counted)

    assert capsys.readouterr().out == ""
    assert counted["files"] >= 40
    assert counted["definitions"] > 3_000
    assert counted["differences"] == 0


def test_the_comparison_catches_a_planted_fault() -> None:
    source = "def f():\n    pass\n\n\ndef g():\n    pass\n"
    outline = read("a.py", source)
    missing = Outline("python", outline.segments[:1], outline.kinds)
    shorter = replace(outline.segments[0], span=(0, 9))
    wrong = Outline("python", (shorter, outline.segments[1]), outline.kinds)

    assert list(differences(known_to_ast(source.encode()), missing, document(source))) == [
        "missing Known(kind='function', path=('g',), first=5, last=6)"
    ]
    assert list(differences(known_to_ast(source.encode()), wrong, document(source))) == [
        "missing Known(kind='function', path=('f',), first=1, last=2)",
        "made up Known(kind='function', path=('f',), first=1, last=1)",
    ]


def test_kinds_and_addresses_follow_the_nesting() -> None:
    text = (
        "class A:\n    class B:\n        def m(self):\n            def helper(): pass\n"
        "            class Local: pass\nasync def f():\n    async def inner(): pass\n"
    )

    assert kinds(text) == {
        "A": "class",
        "A.B": "class",
        "A.B.m": "method",
        "A.B.m.helper": "function",
        "A.B.m.Local": "class",
        "f": "function",
        "f.inner": "function",
    }


def test_a_method_does_not_hide_the_function_of_its_name() -> None:
    text = "class C:\n    def m(self): pass\ndef m(): pass\n"

    assert lines("a.py", text)["m"] == (3, 3)
    assert segment("a.py", text, "m").kind == "function"


def test_decorators_belong_to_what_they_decorate() -> None:
    text = "x = 1\n\n@a\n# why\n\n@b(\n    1\n)\ndef f(): pass\n\n@c\nclass D: pass\n"

    assert lines("a.py", text) == {"x": (1, 1), "f": (3, 9), "D": (11, 12)}
    assert part("a.py", text, "f", "decorators") == "@a\n# why\n\n@b(\n    1\n)\n"


def test_getter_setter_and_deleter_are_all_there() -> None:
    text = (
        "class A:\n    @property\n    def x(self): pass\n    @x.setter\n    def x(self, v): pass\n"
        "    @x.deleter\n    def x(self): pass\n"
    )

    assert lines("a.py", text) == {"A": (1, 7), "A.x#1": (2, 3), "A.x#2": (4, 5), "A.x#3": (6, 7)}


def test_overloads_and_twins_are_all_there() -> None:
    text = (
        "@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): pass\n"
        "if x:\n    def g(): pass\nelse:\n    def g(): pass\n"
        "try:\n    class E: pass\nexcept X:\n    class E: pass\n"
    )

    assert addresses("a.py", text) == ["f#1", "f#2", "f#3", "g#1", "g#2", "E#1", "E#2"]
    assert whole("a.py", text, "g#2") == "    def g(): pass\n"


def test_methods_under_a_condition_stay_methods() -> None:
    text = "class A:\n    if x:\n        def m(self): pass\n"

    assert kinds(text) == {"A": "class", "A.m": "method"}


def test_two_classes_called_meta_have_two_addresses() -> None:
    text = "class A:\n    class Meta: pass\nclass B:\n    class Meta: pass\n"

    assert addresses("a.py", text) == ["A", "A.Meta", "B", "B.Meta"]


def test_a_lambda_is_no_segment() -> None:
    assert kinds("f = lambda: 1\n") == {"f": "variable"}


# The module's own parts.


def test_the_docstring_the_imports_and_the_constants_of_a_module() -> None:
    text = (
        '#!/usr/bin/python\n# -*- coding: utf-8 -*-\n"""About it.\n\nMore.\n"""\n\nimport os\n'
        "# the standard library\nfrom sys import (\n    path,\n)\n\nLIMIT: int = 3  # three\n"
        'TABLE = {\n    "a": 1,\n}\nopen_end: str  # later\nimport late\n'
    )

    assert lines("a.py", text) == {
        "docstring": (3, 6),
        "imports": (8, 12),
        "LIMIT": (14, 14),
        "TABLE": (15, 17),
        "open_end": (18, 18),
    }
    assert part("a.py", text, "LIMIT", "body") == "3"
    assert part("a.py", text, "TABLE", "body") == '{\n    "a": 1,\n}'
    assert part("a.py", text, "open_end", "body") == ""


def test_what_only_looks_like_a_constant_is_none() -> None:
    text = (
        "x == 1\nd[1] = 2\na.b = 3\na, b = 1, 2\nx += 1\nelse_ = 1\n"
        "match x:\n    case 1: pass\np = 1; q = 2\n"
    )

    assert addresses("a.py", text) == ["else_"]


def test_a_name_that_is_defined_and_then_bound_again_means_the_definition() -> None:
    text = "def f(): pass\nf = decorate(f)\nimports = 1\ndef imports(): pass\nimport os\n"

    assert kinds(text) == {"f": "function", "imports": "function"}


def test_a_constant_that_is_set_twice_has_two_addresses() -> None:
    assert addresses("a.py", "x = 1\nx = 2\n") == ["x#1", "x#2"]


def test_type_statements_are_constants_too() -> None:
    assert addresses("a.py", "type Pair[T] = tuple[T, T]\ntype = 1\n") == ["Pair", "type"]


# Text that is hard to read.


@pytest.mark.parametrize(
    "text",
    [
        '"""\ndef no():\n    pass\n"""\ndef f():\n    pass\n',
        "x = (\ndef_ ,\n'def no(): pass'\n)\ndef f():\n    pass\n",
        "# def no():\ndef f():\n    pass\n",
        "x = 'a\\\ndef no(): pass'\ndef f():\n    pass\n",
        "x = 1 + \\\n  2\ndef f():\n    pass\n",
        "default = 1\nclass_ = 2\ndefine()\ndef f():\n    pass\n",
        "x = f'{d[\"#\"]}'\ndef f():\n    pass\n",
        'x = f"{d[")"]}"\ndef f():\n    pass\n',
        "x = f'''{\n\"def no(): pass\"\n}'''\ndef f():\n    pass\n",
    ],
)
def test_strings_brackets_and_comments_hide_no_definition_and_make_none(text: str) -> None:
    names = [name for name, kind in kinds(text).items() if kind == "function"]

    assert names == ["f"]
    assert whole("a.py", text, "f") == "def f():\n    pass\n"


def test_a_form_feed_shifts_no_line() -> None:
    text = (
        "def f():\n    pass\n\f\ndef g():\n    x = '\x0b\x85\u2028'\n    return x\n"
        "\f\x0cdef h(): pass\n"
    )

    assert lines("a.py", text) == {"f": (1, 2), "g": (4, 6), "h": (7, 7)}


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends_change_nothing(end: str) -> None:
    text = (
        'import os\n\nclass A:\n    """Doc."""\n\n    @x\n    def m(self):\n        return 1 \\\n'
        "            + 2\n\n    def n(self): pass\n"
    )
    other = text.replace("\n", end)

    assert lines("a.py", other) == lines("a.py", text)
    assert part("a.py", other, "A", "doc") == f'    """Doc."""{end}'
    assert_lawful(read("a.py", other), other)


def test_tabs_count_as_the_language_counts_them() -> None:
    text = "class A:\n\tdef m(self):\n\t\tpass\n        def n(self):\n\t\tpass\n"

    assert lines("a.py", text) == {"A": (1, 5), "A.m": (2, 3), "A.n": (4, 5)}
    assert segment("a.py", text, "A.m").indent == "\t"


def test_a_mark_at_the_start_of_the_file_is_no_part_of_the_text() -> None:
    marked = "\ufeffdef f():\n    pass\n"

    assert lines("a.py", marked) == {"f": (1, 2)}


def test_a_name_is_compared_as_the_language_compares_it() -> None:
    assert addresses("a.py", "def ﬁle(): pass\n") == ["file"]


def test_a_comment_below_the_last_statement_is_nobodys() -> None:
    text = "def f():\n    pass\n    # end of f\n\nx = 1\n"

    assert lines("a.py", text)["f"] == (1, 2)


def test_a_file_without_final_newline_ends_with_its_last_character() -> None:
    assert whole("a.py", "def f():\n    pass", "f") == "def f():\n    pass"


# Text that is broken.

SOUND = "def sound():\n    return 1\n\n\n"
AFTER = "\n\ndef after():\n    return 2\n"


@pytest.mark.parametrize(
    "broken",
    [
        "def broken(:\n    pass\n",
        "def broken(x)\n    return x\n",
        "def broken():\n    return (\n",
        "def broken():\n    x = [1, 2\n",
        "def broken():\n    return 'abc\n",
        "def broken(a, b:\n    return a\n",
    ],
)
def test_a_broken_function_hides_no_other_and_is_unparsable(broken: str) -> None:
    text = SOUND + broken + AFTER

    assert found("a.py", text, "sound") == "sound"
    assert whole("a.py", text, "after") == "def after():\n    return 2\n"
    said = refusal("a.py", text, "broken")
    assert said.code == "unparsable"
    assert any(first <= 5 <= last for first, last in read("a.py", text).unreadable)


@pytest.mark.parametrize("broken", ["x = = 1\n", "foo bar\n", "1 +\n", ")\n", "import\n"])
def test_a_broken_line_is_named_and_the_rest_is_there(broken: str) -> None:
    text = SOUND + broken + AFTER

    assert {"sound", "after"} <= set(addresses("a.py", text))
    assert read("a.py", text).unreadable == ((5, 5),)


def test_a_string_that_never_ends_takes_what_it_may_have_swallowed() -> None:
    text = (
        SOUND + 'def a():\n    """Doc.\n    return 1\n\ndef b():\n    """Doc b."""\n    return 2\n'
    )

    assert addresses("a.py", text) == ["sound"]
    assert refusal("a.py", text, "a").code == "unparsable"
    assert refusal("a.py", text, "b").code == "unparsable"


def test_a_method_is_found_beside_a_broken_one() -> None:
    text = (
        "class A:\n    def m(self):\n        return 1\n\n    def broken(self):\n        return (\n"
        "\n    def n(self):\n        return 3\n"
    )

    assert addresses("a.py", text) == ["A", "A.m", "A.n"]


def test_a_class_whose_end_is_uncertain_is_unparsable_but_not_its_methods() -> None:
    text = (
        "class A:\n    def m(self):\n        return 1\n\n    def broken(self):\n        return (\n"
    )

    assert addresses("a.py", text) == ["A.m"]
    assert refusal("a.py", text, "A").code == "unparsable"


def test_what_has_no_name_hides_what_is_in_it() -> None:
    text = "class :\n    def m(self): pass\n\ndef f(): pass\n"

    assert addresses("a.py", text) == ["f"]
    assert refusal("a.py", text, "m").code == "unparsable"


def test_python_2_is_read_as_far_as_it_goes() -> None:
    text = "def f(x):\n    print x\n    exec 'y'\n\ndef g(): pass\n"

    assert lines("a.py", text) == {"f": (1, 3), "g": (5, 5)}


def test_a_sound_file_has_nothing_unreadable() -> None:
    assert read("a.py", "def f(): pass\n").unreadable == ()


def test_deep_nesting_is_read_in_one_pass() -> None:
    text = (
        "".join(f"{'  ' * depth}def f{depth}():\n" for depth in range(200)) + "  " * 200 + "pass\n"
    )

    assert len(addresses("a.py", text)) == 200


def test_a_wall_of_brackets_takes_no_time() -> None:
    text = "x = " + "(" * 50_000 + ")" * 50_000 + "\ndef f(): pass\n"

    assert addresses("a.py", text) == ["x", "f"]


def test_a_bracket_that_is_never_closed_lets_no_class_take_in_what_follows() -> None:
    text = (
        "class A:\n    def one(self): pass\n    def two(self: return 1\n\n"
        "if x:\n    def three(): return 3\n\ndef four(): pass\n"
    )

    assert "A" not in addresses("m.py", text)
    assert lines("m.py", text)["A.one"] == (2, 2)
    assert lines("m.py", text)["four"] == (8, 8)
    assert refusal("m.py", text, "A").code == "unparsable"


def test_a_long_file_is_read_in_pieces_and_says_where_it_is_broken() -> None:
    sound = "".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(8_000))
    line = sound.count("\n") + 1
    condition = "if sound:\n    def g():\n        pass\n"

    assert read("a.py", sound).unreadable == ()
    assert read("a.py", sound + condition + sound).unreadable == ()
    assert read("a.py", sound + "x = = 1\n").unreadable == ((line, line),)
