import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from keyhole.text.changes import ChangeSet
from keyhole.text.diff import diff, line_changes, unified, unified_deletion
from keyhole.text.document import split_lines
from tests.laws.strategies import change_sets, texts

pytestmark = pytest.mark.needs("git")

BATCH = 12
# Names that a diff must quote, or that a reader could take for something else.
NAMES = (
    "plain.txt",
    "with space.txt",
    "tab\there",
    'quo"te',
    "back\\slash",
    "é.txt",
    "new\nline",
    "-dash",
    "trailing ",
    "deep/er/file",
    "a/b",
    "\udcff-byte",
)


@dataclass(frozen=True, slots=True)
class Case:
    """What became of one file: None stands for "no such file"."""

    before: str | None
    after: str | None
    patch: str


def made(path: str, before: str | None, after: str | None, changes: ChangeSet) -> Case:
    if after is None:
        return Case(before, after, unified_deletion(path, before or ""))
    return Case(before, after, unified(path, before, changes))


@st.composite
def cases(draw: st.DrawFn, path: str) -> Case:
    """Draw a file that is edited, created or deleted, and the diff that says so."""
    before = draw(texts())
    kind = draw(st.sampled_from(("edited", "edited", "rewritten", "created", "deleted")))
    if kind == "deleted":
        return made(path, before, None, ChangeSet(0))
    if kind == "created":
        return made(path, None, before, diff("", before))
    changes = draw(change_sets(len(before))) if kind == "edited" else diff(before, draw(texts()))
    return made(path, before, changes.apply(before), changes)


def apply_with_git(folder: Path, cases: Sequence[tuple[str, Case]]) -> None:
    for path, case in cases:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        if case.before is not None:
            file.write_bytes(_bytes(case.before))
    patch = "".join(case.patch for _, case in cases)
    command = ["git", "apply", "--whitespace=nowarn", "--allow-empty", "-"]
    done = subprocess.run(
        command, cwd=folder, input=_bytes(patch), capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace") + patch


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def stands(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None


@given(texts(), texts())
def test_a_diff_turns_one_text_into_the_other(before: str, after: str) -> None:
    assert diff(before, after).apply(before) == after


@given(texts())
def test_equal_texts_have_no_difference(text: str) -> None:
    assert diff(text, text).is_empty
    assert unified("a", text, diff(text, text)) == ""


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_git_takes_a_diff_for_every_name(name: str, tmp_path: Path) -> None:
    names = [f"edited-{name}", f"created-{name}", f"deleted-{name}", name]
    befores = ["a\nb\n", None, "a\n", "a"]
    afters = ["a\nc\n", "new\n", None, "b"]
    whole = zip(names, befores, afters, strict=True)
    drawn = [(path, made(path, b, a, diff(b or "", a or ""))) for path, b, a in whole]

    apply_with_git(tmp_path, drawn)

    assert [stands(tmp_path / path) for path in names] == [b"a\nc\n", b"new\n", None, b"b"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.tuples(*(cases(f"file {number}") for number in range(BATCH))))
def test_git_makes_the_same_of_a_diff(tmp_path: Path, drawn: tuple[Case, ...]) -> None:
    named = [(f"file {number}", case) for number, case in enumerate(drawn)]

    apply_with_git(tmp_path, named)

    after = [stands(tmp_path / path) for path, _ in named]
    assert after == [None if case.after is None else _bytes(case.after) for case in drawn]


def test_git_refuses_a_diff_with_a_planted_fault(tmp_path: Path) -> None:
    case = made("file", "a\nb\n", "a\nc\n", diff("a\nb\n", "a\nc\n"))
    wrong = Case(case.before, case.after, case.patch.replace("-b", "-x"))

    with pytest.raises(AssertionError, match="patch does not apply"):
        apply_with_git(tmp_path, [("file", wrong)])


@given(texts(), st.data())
def test_changes_of_lines_do_the_same_and_leave_every_other_line_in_place(
    text: str, data: st.DataObject
) -> None:
    changes = data.draw(change_sets(len(text)))

    lines = line_changes(text, changes)

    assert lines.apply(text) == changes.apply(text)
    at = 0
    for line in split_lines(text):
        end = at + len(line)
        if not any(each.start <= end and at <= each.end for each in changes.changes):
            assert lines.carried((at, end)) == changes.carried((at, end))
        at = end
