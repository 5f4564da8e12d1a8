"""From a linter and files to the runs it takes: words, directory, input."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence

from keyhole.values import dataclass
from keyhole.workspace.linters.base import Failed, Finding, Ground, Linter
from keyhole.workspace.linters.environment import program


@dataclass(frozen=True, slots=True)
class Subject:
    """One file that a linter is to look at, as one version of it reads."""

    path: str
    data: bytes


@dataclass(frozen=True, slots=True)
class LinterView:
    """The tree that a linter sees: the workspace's root in it, and the top of the project.

    `cache` is where the linter may keep what it learns, `digest` stands for the texts it is shown.
    """

    root: str
    top: str
    cache: str
    digest: str


@dataclass(frozen=True, slots=True)
class LinterRun:
    """One run; `path` is the file it is about, nothing if it is about several.

    `stdin` is None where the linter opens files itself.
    """

    words: tuple[str, ...]
    cwd: str
    stdin: bytes | None
    path: str = ""


def jobs_of(
    linter: Linter, subjects: Sequence[Subject], view: LinterView, ground: Ground
) -> list[LinterRun]:
    """Return the runs that cover all files: one for each directory it runs in, or for each file."""
    if "{paths}" not in linter.command:
        return list(dict.fromkeys(_job(linter, [subject], view, ground) for subject in subjects))
    groups: dict[str, list[Subject]] = {}
    for subject in subjects:
        groups.setdefault(_directory(linter, subject, view), []).append(subject)
    return [_job(linter, group, view, ground) for group in groups.values()]


def _job(
    linter: Linter, subjects: Sequence[Subject], view: LinterView, ground: Ground
) -> LinterRun:
    first = subjects[0]
    path = os.path.join(view.root, first.path)
    values = {
        "{path}": path,
        "{dir}": os.path.dirname(path),
        "{root}": view.root,
        "{cache}": view.cache,
        "{digest}": view.digest,
    }
    words = [_program(linter, first, ground)]
    for word in linter.command[1:]:
        if word == "{paths}":
            words += [os.path.join(view.root, subject.path) for subject in subjects]
            continue
        for name, value in values.items():
            word = word.replace(name, value)  # noqa: PLW2901 - each placeholder in turn
        words.append(word)
    about_one = any("{path}" in word for word in linter.command) or linter.input == "stdin"
    stdin = first.data if linter.input == "stdin" else None
    cwd = _directory(linter, first, view)
    return LinterRun(tuple(words), cwd, stdin, first.path if about_one else "")


def _directory(linter: Linter, subject: Subject, view: LinterView) -> str:
    """Return where the linter runs: the nearest directory above the file with an anchor of it."""
    here = os.path.dirname(os.path.join(view.root, subject.path))
    for directory in _upwards(here, view.top):
        if any(os.path.exists(os.path.join(directory, name)) for name in linter.anchors):
            return directory
    return view.root


def _upwards(directory: str, top: str) -> Iterator[str]:
    """Yield a directory and those above it, as far as the top."""
    yield directory
    while len(directory) > len(top):
        directory = os.path.dirname(directory)
        yield directory


def _program(linter: Linter, subject: Subject, ground: Ground) -> str:
    """Return the program to start; what the workspace brings along runs only if it is trusted."""
    name = linter.command[0]
    if os.path.isabs(name):
        return name
    own = _own_program(linter, subject, ground)
    if own and ground.trusted:
        return own
    found = program(name, ground.environment) if "/" not in name else None
    if found:
        return found
    if own:
        what = os.path.relpath(own, ground.root)
        raise Failed(f"was not run: {what} is part of the workspace; `keyhole trust` lets it run")
    raise Failed(f"was not run: there is no program `{name}`")


def _own_program(linter: Linter, subject: Subject, ground: Ground) -> str:
    """Return the program as the workspace itself has it, or nothing."""
    name = linter.command[0]
    if "/" in name:
        path = os.path.join(ground.root, name)
        return path if os.path.exists(path) else ""
    if linter.local:
        here = os.path.dirname(os.path.join(ground.root, subject.path))
        for directory in _upwards(here, ground.root):
            path = os.path.join(directory, linter.local, name)
            if os.path.exists(path):
                return path
    return ""


def path_of(finding: Finding, job: LinterRun, view: LinterView, known: Collection[str]) -> str:
    """Return which of the `known` files a finding is about, nothing for any other.

    Tools print names relative to where they run, or to some directory above that they call the
    project.
    """
    if job.stdin is not None or not finding.path:
        return job.path
    for directory in _upwards(job.cwd, view.top):
        path = os.path.normpath(os.path.join(directory, finding.path))
        inner = os.path.relpath(path, view.root)
        if inner in known:
            return inner
    return ""
