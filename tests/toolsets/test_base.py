from pathlib import Path

from keyhole import toolsets
from keyhole.arguments import required
from keyhole.engine.facade import Engine
from keyhole.refusals import Refusal
from keyhole.toolsets.base import Arguments, Caller, Tool, ToolAnswer
from keyhole.toolsets.schemas import string, taking


def _run(engine: Engine, given: Arguments, caller: Caller) -> ToolAnswer:
    return ToolAnswer(f"{caller.actor} {required(given, 'path')}", {"root": engine.root})


def _refuse(refusals: object) -> ToolAnswer:
    assert isinstance(refusals, tuple)
    [refusal] = refusals
    assert isinstance(refusal, Refusal)
    return ToolAnswer(refusal.headline, {"status": "error"}, refused=True)


TOOL = Tool("look", "Look", "Look.", taking("path", path=string()), _run, refuse=_refuse)


def test_a_call_is_taken_to_the_workspace_of_its_paths(tmp_path: Path) -> None:
    asked: list[list[str]] = []
    engine = Engine.open(tmp_path, tmp_path / "state")

    def at(paths: object) -> Engine:
        asked.append(list(paths))  # type: ignore[call-overload]
        return engine

    said = toolsets.call(TOOL, at, {"path": "a.txt"}, Caller("me"))

    assert said == ToolAnswer("me a.txt", {"root": engine.root})
    assert asked == [["a.txt"]]
    engine.close()


def test_a_refusal_comes_in_the_form_of_the_set(tmp_path: Path) -> None:
    engine = Engine.open(tmp_path, tmp_path / "state")

    assert toolsets.call(TOOL, lambda _: engine, {}, Caller()).text == "`path` is missing"
    assert toolsets.call(TOOL, lambda _: engine, {"x": 1}, Caller()).data == {"status": "error"}
    engine.close()


def test_the_options_of_a_call_name_who_asks_and_through_which_door() -> None:
    options = Caller("me", "t", "cli").options("apply_patch", reason="why")

    assert (options.actor, options.task, options.tool) == ("me", "t", "cli apply_patch")
    assert options.reason == "why"
