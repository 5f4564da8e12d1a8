import pytest

from keyhole.segments.code.faults import Fault, faults, repeated_keys, unknown_aliases


@pytest.mark.parametrize(
    ("parser", "text", "found"),
    [
        ("json", "[1]", []),
        ("json", "[1,,2]", [Fault(2, 3)]),
        ("javascript", "f(1;\n", [Fault(3, 3, ")")]),
        ("javascript", "<a><b>x</b></a>;\n", []),
        ("javascript", "<a>x</b>;\n", [Fault(4, 8)]),
        ("tsx", "const a = <A.B>x</A.C>;\n", [Fault(16, 22)]),
        ("elixir", "def f do\n  1\nend\nend\n", [Fault(17, 20)]),
        ("ruby", "def f\n  1\nend\nend\n", [Fault(14, 17)]),
        ("go", "package a\nfunc () {\n}\n", [Fault(10, 21)]),
        ("kotlin", 'fun f() {\n  e("n: ${i.n})\n}\n', [Fault(14, 24)]),
        ("html", "<div><p>x</div>", []),
        ("html", "<div><p>x</b></div>", [Fault(9, 13)]),
        ("html", "<div><b>x</div>", [Fault(5, 8)]),
        ("html", "<div><br><img src='a'></div>", []),
        ("html", "<script></script>", []),
    ],
)
def test_what_a_text_does_not_fit_is_told(parser: str, text: str, found: list[Fault]) -> None:
    assert list(faults(parser, text)) == found


def test_a_key_there_twice_is_told_where_it_repeats() -> None:
    assert list(repeated_keys("json", '{"a": {"b": 1, "b": 2}, "c": 1}')) == [("b", (15, 18))]
    assert list(repeated_keys("yaml", "a: 1\n\"a\": 2\nb: {c: 1, 'c': 2}\n")) == [
        ("a", (5, 8)),
        ("c", (22, 25)),
    ]


def test_an_alias_needs_an_anchor_above_it() -> None:
    assert list(unknown_aliases("a: &x 1\nb: *x\nc: *y\n")) == [("y", (18, 19))]
    assert list(unknown_aliases("a: 1\n")) == []


def test_odd_trees_do_not_kill_the_parser() -> None:
    assert len(faults("python", "/*" * 50_000)) == 300
    assert len(faults("json", "[" * 100_000)) == 1
    assert len(faults("html", "<a>" * 2_000)) == 1
