"""Every refusal code in every tool set: text and data of the answer say the same next move."""

from collections.abc import Iterator, Mapping

import pytest

from keyhole.phrases import say
from keyhole.refusals import CODES, Candidate, Refusal, Refused
from keyhole.toolsets import SETS, Caller, Tool, tools_of
from keyhole.toolsets.base import Arguments, ToolAnswer, carry_out

TOOLS = [(owner, tool) for owner in ("native", *SETS) for tool in tools_of(owner)]
NAMED = pytest.mark.parametrize(
    "tool", [tool for _, tool in TOOLS], ids=[f"{owner}-{tool.name}" for owner, tool in TOOLS]
)


def refused(tool: Tool, code: str, given: Arguments) -> ToolAnswer:
    near = Candidate((3, 4), "the text that is there", "line 3 is another", 0.9, "c1")
    refusal = Refusal(
        code,
        say("{} is so", "this"),
        where="3| the place",
        help="do this next",
        path="a.py",
        candidates=(near,) if code in {"not-found", "ambiguous"} else (),
        suggestions=("b.py",) if code == "no-file" else (),
    )

    def run(_: Arguments, caller: Caller) -> ToolAnswer:
        assert not caller.rehearses or code in {"bad-request", "no-file", "path-denied"}
        raise Refused(refusal)

    return carry_out(tool, run, given, Caller("tester"), lambda: ())


def leaves(data: object) -> Iterator[str]:
    if isinstance(data, Mapping):
        for one in data.values():
            yield from leaves(one)
    elif isinstance(data, list | tuple):
        for one in data:
            yield from leaves(one)
    else:
        yield str(data)


def one_sided(answer: ToolAnswer) -> list[str]:
    """Return what one form of a refusal says and the other does not."""
    text, data = " ".join(answer.text.split()), " ".join(" ".join(leaves(answer.data)).split())
    moves = [str(one) for name in ("help", "error", "message") for one in _named(answer.data, name)]
    missing = [line for move in moves for line in move.split("\n") if line.strip() not in text]
    for row in answer.text.split("\n") if not answer.in_json else ():
        said = row.partition("help: ")[2] or row.strip().removeprefix("near: ")
        is_frame = row.partition(": ")[0] == "refused" or any(
            row.startswith(code) for code in CODES
        )
        if not is_frame and not row.startswith("  candidate") and said.strip() not in data:
            missing += [] if row.startswith("  at: ") else [said]
    return missing


def _named(data: object, name: str) -> Iterator[object]:
    if isinstance(data, Mapping):
        yield from (data[name] for _ in [0] if name in data)
        for one in data.values():
            yield from _named(one, name)
    elif isinstance(data, list):
        for one in data:
            yield from _named(one, name)


@NAMED
def test_both_forms_of_every_refusal_say_the_same_next_move(tool: Tool) -> None:
    found = {code: one_sided(refused(tool, code, {})) for code in CODES}

    assert {code: said for code, said in found.items() if said} == {}


@NAMED
def test_every_refusal_says_a_next_move_and_its_code(tool: Tool) -> None:
    for code in CODES:
        answer = refused(tool, code, {})

        assert answer.refused
        assert answer.codes == (code,)
        rest = answer.text
        for known in (
            "refused: nothing was changed",
            "refused",
            "this is so",
            "3| the place",
            "at:",
            code,
        ):
            rest = rest.replace(known, "")
        assert sum(map(str.isalpha, rest)) >= len("dothisnext"), (code, answer.text)


def test_the_law_sees_a_move_that_one_form_lacks() -> None:
    data = {"refusals": [{"code": "busy", "message": "it is busy", "help": "wait"}]}

    assert one_sided(ToolAnswer("busy: it is busy\n  help: wait", data, refused=True)) == []
    assert one_sided(ToolAnswer("busy: it is busy", data, refused=True)) == ["wait"]
    assert one_sided(ToolAnswer("busy: it is busy\n  help: go", data, refused=True)) == [
        "wait",
        "go",
    ]
