import sys

import pytest

from keyhole.linters.base import Failed, Finding, Linter
from keyhole.linters.run import LinterRun, LinterSubject, LinterView, jobs_of, path_of
from tests.linters.stage import Stage

PYTHON = sys.executable


def view_of(stage: Stage) -> LinterView:
    root = str(stage.root)
    return LinterView(root, root, "/cache", "abc")


def test_words_are_filled_in_and_the_text_goes_to_stdin(stage: Stage) -> None:
    linter = Linter(
        "tool", (PYTHON, "--name={path}", "{dir}", "{root}", "{cache}", "{digest}", "{x}"), ()
    )
    root = str(stage.root)

    (job,) = jobs_of(linter, [LinterSubject("app/-a.py", b"text")], view_of(stage), stage.ground())

    words = (PYTHON, f"--name={root}/app/-a.py", f"{root}/app", root, "/cache", "abc", "{x}")
    assert job == LinterRun(words, root, b"text", "app/-a.py")


def test_paths_are_one_run_for_all_files_of_a_project(stage: Stage) -> None:
    stage.put("one/tool.ini", "")
    linter = Linter("tool", (PYTHON, "{paths}"), (), input="file", anchors=("tool.ini",))
    subjects = [LinterSubject(path, b"") for path in ("one/a.py", "b.py", "one/deep/c.py")]
    root = str(stage.root)

    jobs = jobs_of(linter, subjects, view_of(stage), stage.ground())

    assert jobs == [
        LinterRun((PYTHON, f"{root}/one/a.py", f"{root}/one/deep/c.py"), f"{root}/one", None),
        LinterRun((PYTHON, f"{root}/b.py"), root, None),
    ]


def test_a_run_for_a_directory_is_made_once(stage: Stage) -> None:
    linter = Linter("tool", (PYTHON, "{dir}"), (), input="file")
    subjects = [LinterSubject(path, b"") for path in ("x/a.go", "x/b.go", "y/c.go")]

    jobs = jobs_of(linter, subjects, view_of(stage), stage.ground())

    assert [job.words[1] for job in jobs] == [f"{stage.root}/x", f"{stage.root}/y"]


def test_a_program_that_is_not_there_is_told(stage: Stage) -> None:
    linter = Linter("tool", ("no-such-tool",), ())

    with pytest.raises(Failed, match=r"^was not run: there is no program `no-such-tool`$"):
        jobs_of(linter, [LinterSubject("a.py", b"")], view_of(stage), stage.ground())


@pytest.mark.parametrize(
    ("command", "local", "own"),
    [
        ("./tools/check.sh", "", "tools/check.sh"),
        ("tools/check.sh", "", "tools/check.sh"),
        ("own-tool", "node_modules/.bin", "web/node_modules/.bin/own-tool"),
    ],
)
def test_a_program_of_the_workspace_runs_only_if_it_is_trusted(
    stage: Stage, command: str, local: str, own: str
) -> None:
    stage.put(own, "#!/bin/sh\n", 0o755)
    linter = Linter("tool", (command,), (), local=local)
    subjects = [LinterSubject("web/src/a.js", b"")]

    with pytest.raises(Failed, match=rf"^was not run: {own} is part of the workspace; `keyhole"):
        jobs_of(linter, subjects, view_of(stage), stage.ground())
    (job,) = jobs_of(linter, subjects, view_of(stage), stage.ground(trusted=True))

    assert job.words[0].replace("/./", "/") == f"{stage.root}/{own}"


def test_a_program_that_the_user_has_is_used_where_the_workspace_is_not_trusted(
    stage: Stage,
) -> None:
    stage.put("node_modules/.bin/python3", "#!/bin/sh\n", 0o755)
    linter = Linter("tool", ("python3",), (), local="node_modules/.bin")

    (job,) = jobs_of(linter, [LinterSubject("a.js", b"")], view_of(stage), stage.ground())

    assert not job.words[0].startswith(str(stage.root))


@pytest.mark.parametrize(
    ("printed", "cwd", "path"),
    [
        ("/top/ws/pkg/a.py", "/top/ws", "pkg/a.py"),
        ("pkg/a.py", "/top/ws", "pkg/a.py"),
        ("./a.py", "/top/ws/pkg", "pkg/a.py"),
        ("pkg/a.py", "/top/ws/pkg", "pkg/a.py"),
        ("ws/pkg/a.py", "/top/ws/pkg", "pkg/a.py"),
        ("", "/top/ws", "pkg/a.py"),
        ("b.py", "/top/ws", ""),
        ("/elsewhere/pkg/a.py", "/top/ws", ""),
    ],
)
def test_the_file_of_a_finding_is_known_however_it_is_named(
    printed: str, cwd: str, path: str
) -> None:
    finding = Finding("", "", "error", "no", 1, path=printed)
    job = LinterRun(("tool",), cwd, None, "pkg/a.py")
    view = LinterView("/top/ws", "/top", "", "")

    assert path_of(finding, job, view, {"pkg/a.py": b""}) == path


def test_what_comes_through_stdin_is_about_that_file(stage: Stage) -> None:
    finding = Finding("", "", "error", "no", 1, path="<standard input>")

    assert path_of(finding, LinterRun((), "/", b"", "a.py"), view_of(stage), ["a.py"]) == "a.py"
