"""The hard files each open with a worked example, before and after; here the examples run."""

import doctest
from importlib import import_module

import pytest

from tests.workspace.scene import Scene

HARD = (
    "matching.rewrite",
    "edits.by_name.reading",
    "edits.by_name.fitting",
    "edits.series",
    "history.restore",
    "history.steps_since",
)


@pytest.mark.parametrize("name", HARD)
def test_a_hard_file_opens_with_an_example_that_is_true(name: str, scene: Scene) -> None:
    module = import_module(f"keyhole.{name}")
    names = {**vars(module), "tree": scene.open()}
    example = doctest.DocTestParser().get_doctest(module.__doc__ or "", names, name, None, None)
    failures: list[str] = []

    doctest.DocTestRunner().run(example, out=failures.append)

    assert not failures, "".join(failures)
    assert any(line.want for line in example.examples)
