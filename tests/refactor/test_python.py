"""What jedi is asked, and that nothing of the tree runs while it answers."""

import shutil
import sys
import sysconfig
from pathlib import Path

import pytest
import rapidfuzz

from keyhole.refactor.python import NamePlace, PythonNames, _load_module
from keyhole.refusals import Refused
from tests.scene import put

LOADED: list[str] = []


def watch(event: str, arguments: tuple[object, ...]) -> None:
    if event in {"import", "exec", "subprocess.Popen", "os.exec", "os.posix_spawn"}:
        LOADED.append(f"{event} {arguments}")


def test_a_name_is_found_where_it_is_imported_and_leads_back(tmp_path: Path) -> None:
    core = put(tmp_path, "core.py", "def load():\n    pass\n")
    text = "from core import load as other\n\nother()\n"
    user = put(tmp_path, "user.py", text)
    names = PythonNames(str(tmp_path), str(tmp_path / "cache"))
    defined, imported = NamePlace(str(core), 1, 4), NamePlace(str(user), 1, 17)

    assert names.references(defined, core.read_text(encoding="utf-8"), "load") == {
        defined,
        imported,
    }
    assert defined in names.definitions([imported], text)[imported]


def test_no_extension_module_of_the_tree_is_loaded(tmp_path: Path) -> None:
    library = next(Path(rapidfuzz.__file__).parent.glob("*.so"))
    ending = sysconfig.get_config_var("EXT_SUFFIX")
    shutil.copy(library, tmp_path / f"payload{ending}")
    user = put(tmp_path, "user.py", "import payload\n\n\ndef load():\n    return payload.x()\n")
    names = PythonNames(str(tmp_path), str(tmp_path / "cache"))
    sys.addaudithook(watch)
    LOADED.clear()

    names.references(NamePlace(str(user), 4, 4), user.read_text(encoding="utf-8"), "load")
    names.definitions([NamePlace(str(user), 5, 19)], user.read_text(encoding="utf-8"))

    assert not any("payload" in each for each in LOADED)
    assert "payload" not in sys.modules


def test_what_is_imported_meanwhile_is_found(tmp_path: Path) -> None:
    user = put(tmp_path, "user.py", "import math, itertools\n\nx = math.floor(1)\n")
    names = PythonNames(str(tmp_path), str(tmp_path / "cache"))
    before = sys.path

    names.definitions([NamePlace(str(user), 3, 9)], user.read_text(encoding="utf-8"))

    assert sys.path is before


def test_a_package_without_a_file_is_at_no_place(tmp_path: Path) -> None:
    put(tmp_path, "pkg/core.py", "x = 1\n")
    text = "import pkg\n\npkg.core\n"
    user = put(tmp_path, "user.py", text)
    names = PythonNames(str(tmp_path), str(tmp_path / "cache"))
    at = NamePlace(str(user), 3, 0)

    assert names.definitions([at], text) == {at: {NamePlace(str(user), 1, 7)}}


@pytest.mark.parametrize("name", ["winreg.x", "payload"])
def test_a_module_that_python_does_not_have_here_is_not_loaded(tmp_path: Path, name: str) -> None:
    PythonNames(str(tmp_path), str(tmp_path / "cache"))

    assert _load_module(object(), name) is None


def test_without_the_library_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jedi", None)  # as if it were not installed

    with pytest.raises(Refused) as refused:
        PythonNames(str(tmp_path), str(tmp_path / "cache"))

    [refusal] = refused.value.refusals
    assert refusal.code == "no-language-server"
    assert str(refusal.help).startswith("install `keyhole[rename]`, or ")
