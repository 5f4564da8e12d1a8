import ast
import subprocess
import sys
from pathlib import Path

import pytest

import keyhole


def test_every_public_name_is_there() -> None:
    found = [name for name in keyhole.__all__ if hasattr(keyhole, name)]

    assert found == keyhole.__all__
    assert dir(keyhole) == sorted(keyhole.__all__)


def test_a_public_name_loads_what_type_checkers_see() -> None:
    tree = ast.parse(Path(keyhole.__file__).read_text(encoding="utf-8"))
    seen = {
        name.name: node.module
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }

    assert seen == keyhole._HOMES
    assert sorted({*seen, "__version__"}) == sorted(keyhole.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'keyhole' has no attribute 'Wrokspace'"):
        _ = keyhole.Wrokspace  # type: ignore[attr-defined]  # and to type checkers, too


def test_importing_keyhole_loads_no_room() -> None:
    code = (
        "import keyhole, sys; print([name for name in sys.modules if name.startswith('keyhole.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout == "[]\n"
