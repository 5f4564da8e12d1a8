import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from keyhole.linters import shadow
from keyhole.linters.base import Failed
from keyhole.linters.shadow import mirror
from tests.linters.stage import Stage


def names_in(directory: str) -> list[str]:
    return sorted(path.name for path in Path(directory).iterdir())


def tree_of(directory: str) -> dict[str, str]:
    """Return every file below a directory, links to directories followed."""
    found = {}
    for here, _, names in os.walk(directory, followlinks=True):
        for name in names:
            path = Path(here, name)
            found[str(path.relative_to(directory))] = path.read_text(encoding="utf-8")
    return found


def test_a_mirror_looks_like_the_project_but_for_the_files_of_the_plan(stage: Stage) -> None:
    stage.put("pyproject.toml", "[tool]")
    stage.put("app/models.py", "old")
    stage.put("app/views.py", "views")
    stage.put("app/deep/er/x.py", "x")
    stage.put("other/y.py", "y")
    stage.put("app/gone.py", "gone")
    changes = {"app/models.py": b"new", "app/gone.py": None, "brand/new/z.py": b"z"}

    with mirror(str(stage.home / "state"), "tool", str(stage.root)) as place:
        place.show(changes)
        shown = tree_of(place.root)

    assert shown == {
        "pyproject.toml": "[tool]",
        "app/models.py": "new",
        "app/views.py": "views",
        "app/deep/er/x.py": "x",
        "other/y.py": "y",
        "brand/new/z.py": "z",
    }
    assert (stage.root / "app/models.py").read_text(encoding="utf-8") == "old"


def test_what_is_done_to_a_copy_is_not_done_to_the_file(stage: Stage) -> None:
    file = stage.put("a.py", "old")

    with mirror(str(stage.home / "state"), "tool", str(stage.root)) as place:
        place.show({"a.py": b"new"})
        copy = Path(place.root, "a.py")
        copy.write_text("scribbled", encoding="utf-8")
        copy.unlink()
        copy.symlink_to(file)
        place.show({"a.py": b"old again"})
        shown = copy.read_text(encoding="utf-8")

    assert shown == "old again"
    assert file.read_text(encoding="utf-8") == "old"


def test_taking_a_mirror_down_leaves_the_project_alone(stage: Stage) -> None:
    stage.put("a.py", "a")
    stage.put("deep/b.py", "b")

    with mirror(str(stage.home / "state"), "tool", str(stage.root)) as place:
        place.show({"a.py": b"new"})
        Path(place.root, "locked").mkdir(mode=0o500)

    assert tree_of(str(stage.root)) == {"a.py": "a", "deep/b.py": "b"}
    assert not os.path.lexists(place.tree)


def test_the_configuration_above_the_root_is_there_too(stage: Stage) -> None:
    (stage.home / ".git").mkdir()
    (stage.home / "pyproject.toml").write_text("[above]", encoding="utf-8")
    stage.put("a.py", "a")

    with mirror(str(stage.home / "state"), "tool", str(stage.root)) as place:
        place.show({"a.py": b"new"})
        above = Path(place.root).parent / "pyproject.toml"

        assert above.read_text(encoding="utf-8") == "[above]"
        assert Path(place.root, "a.py").read_text(encoding="utf-8") == "new"
        # The state directory lies inside the project here, and is not linked into itself.
        assert not os.path.lexists(Path(place.tree, "state"))


def test_caches_of_tools_are_left_out(stage: Stage) -> None:
    for name in (
        ".mypy_cache/x",
        "__pycache__/y",
        "tsconfig.tsbuildinfo",
        ".kh-0123456789ab-0.tmp",
    ):
        stage.put(name, "cache")

    with mirror(str(stage.home / "state"), "tool", str(stage.root)) as place:
        place.show({"a.py": b"a"})

        assert names_in(place.root) == ["a.py"]


def test_a_mirror_that_became_a_link_is_not_followed(stage: Stage) -> None:
    file = stage.put("a.py", "mine")

    with mirror(str(stage.home / "state"), "tool", str(stage.root)) as place:
        Path(place.tree).parent.mkdir(parents=True)
        Path(place.tree).symlink_to(stage.root)
        place.show({"a.py": b"new"})
        assert Path(place.root, "a.py").read_text(encoding="utf-8") == "new"

    assert file.read_text(encoding="utf-8") == "mine"
    assert not os.path.lexists(place.tree)


def test_a_place_that_leads_elsewhere_is_left_alone(stage: Stage) -> None:
    file = stage.put("a.py", "mine")

    with mirror(str(stage.home / "state"), "tool", str(stage.root)) as place:
        Path(place.tree).parent.symlink_to(stage.home)
        with pytest.raises(
            Failed, match=r"^was not run: the place for its mirror leads elsewhere$"
        ):
            place.show({"a.py": b"new"})

    assert file.read_text(encoding="utf-8") == "mine"


def test_what_cannot_be_removed_is_told(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    with mirror(str(stage.home / "state"), "tool", str(stage.root)) as place:
        place.show({"a.py": b"new"})
        monkeypatch.setattr(shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(Failed, match=r"^was not run: what it left behind cannot be removed$"):
            place.show({"a.py": b"new"})


def test_two_at_once_have_a_place_each_and_one_after_another_the_same(stage: Stage) -> None:
    state, root = str(stage.home / "state"), str(stage.root)

    with mirror(state, "tool", root) as first, mirror(state, "tool", root) as second:
        assert first.tree != second.tree
        assert first.cache != second.cache
    with mirror(state, "tool", root) as third:
        assert third.tree == first.tree


def test_the_place_of_a_process_that_was_killed_is_free_again(stage: Stage) -> None:
    code = """
import os, signal, sys
from keyhole.linters.shadow import mirror
with mirror(sys.argv[1], "tool", sys.argv[2]) as place:
    place.show({"a.py": b"half"})
    print(place.tree, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""
    command = [sys.executable, "-c", code, str(stage.home / "state"), str(stage.root)]
    killed = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)

    with mirror(str(stage.home / "state"), "tool", str(stage.root)) as place:
        assert killed.stdout.strip() == place.tree
        place.show({"b.py": b"whole"})
        assert names_in(place.root) == ["b.py"]


def test_other_bytes_have_another_time_and_all_are_younger_than_now(stage: Stage) -> None:
    times = []
    with mirror(str(stage.home / "state"), "tool", str(stage.root)) as place:
        for text in (b"x = 1", b"x = 2", b"x = 3"):
            place.show({"a.py": text})
            times.append(int(Path(place.root, "a.py").stat().st_mtime))

    now = (stage.home / "state").stat().st_ctime
    assert len(set(times)) == 3
    assert min(times) >= now


def test_a_directory_with_too_many_names_is_not_mirrored(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shadow, "_MOST_LINKS", 3)
    for name in "abcd":
        stage.put(f"{name}.txt", "")

    with (
        mirror(str(stage.home / "state"), "tool", str(stage.root)) as place,
        pytest.raises(Failed, match=r"^was not run: there are over 3 names beside the file$"),
    ):
        place.show({"x.py": b""})


def test_no_more_than_so_many_run_at_once(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shadow, "_MOST_SLOTS", 1)
    state, root = str(stage.home / "state"), str(stage.root)

    with (
        mirror(state, "tool", root),
        pytest.raises(Failed, match=r"^is running 1 times already$"),
        mirror(state, "tool", root),
    ):
        pass
