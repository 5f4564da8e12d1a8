import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(tmp_path: Path, *words: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path), "HOME": str(tmp_path), **extra},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_demo_shows_every_scene_and_leaves_nothing_behind(tmp_path: Path) -> None:
    done = run(tmp_path, "demo/run.py", NO_COLOR="1")

    assert (done.returncode, done.stderr) == (0, "")
    scenes = [line for line in done.stdout.split("\n") if line[:2] in {f"{n}." for n in range(10)}]
    assert len(scenes) == 8
    assert "\nrefused: nothing was changed\nnot-found " in done.stdout
    assert "\nrefused: nothing was changed\nambiguous " in done.stdout
    assert "\\r\\nport = 8080\\r\\n" in done.stdout
    assert "\x1b" not in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_what_the_demo_says_to_try_works(tmp_path: Path) -> None:
    done = run(tmp_path, "-c", "from demo.run import *; print(NEXT.format(keyhole='keyhole'))")
    typed = [
        line.split("  #")[0].strip() for line in done.stdout.split("\n") if "  keyhole " in line
    ]
    project = tmp_path / "project"
    project.mkdir()
    shutil.copy(ROOT / "README.md", project)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    codes = [
        subprocess.run(
            # The page opens in a browser and stays; its address is enough here.
            command.replace("review", "review --help"),
            shell=True,
            cwd=project,
            env={"HOME": str(tmp_path / "home"), "PATH": path},
            stdout=subprocess.DEVNULL,
            check=False,
        ).returncode
        for command in typed
    ]

    assert codes == [0, 0, 0]
    assert "The MIT licence" in (project / "README.md").read_text(encoding="utf-8")


def test_the_demo_is_coloured_unless_that_is_not_wanted(tmp_path: Path) -> None:
    done = run(tmp_path, "demo/run.py", NO_COLOR="")

    assert "\x1b[32m+RETRIES = 5\x1b[0m\n" in done.stdout


def test_the_picture_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    target = tmp_path / "images" / "session.svg"

    done = run(tmp_path, "-m", "demo.picture", str(target))

    assert (done.returncode, done.stderr) == (0, "")
    for picture in (target, ROOT / "docs" / "images" / "session.svg"):
        text = picture.read_text(encoding="utf-8")
        assert text.count("http") == text.count("http://www.w3.org/2000/svg") == 1
        assert "@font-face" not in text
