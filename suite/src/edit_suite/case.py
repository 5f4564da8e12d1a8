"""A case: the files before, the calls in neutral verbs, and the files after or a refusal.

A case is a directory:

    before/       the files as they are; left out if there are none
    outside/      files beside the root, which nobody may touch
    calls.json    what a client asks for
    after/        the files as they must be, whole; or, instead,
    refusal.toml  the calls must be refused, and which place the refusal should name
    meta.toml     title, class, provenance, what a user would lose, and what a directory cannot say
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Files = Mapping[str, bytes]
VERBS = ("replace_text", "replace_lines", "insert", "apply_diff", "write")
# What is no verb of a server: a look at a file, and somebody else who saves one meanwhile.
STEPS = ("read", "meanwhile")
_FILE = re.compile(r"^((?:---|\+\+\+) [ab]/).*$", re.MULTILINE)
PADDING = "# {:06d} padding that no edit is about\n"


@dataclass(frozen=True, slots=True)
class Call:
    """One request: a verb, the file it is about, and what the verb asks for."""

    verb: str
    path: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 - what JSON holds
        return self.arguments[name]

    @property
    def edits(self) -> list[dict[str, str]]:
        """Return the pairs of old and new text; a call with one pair has a list of one."""
        if "edits" in self.arguments:
            return [dict(edit) for edit in self["edits"]]
        return [{"old": self["old"], "new": self["new"]}]

    def about(self, path: str) -> Call:
        """Return the same call for another file."""
        diff = str(self.arguments.get("diff", ""))
        known = {"diff": _FILE.sub(rf"\1{path}", diff)} if diff else {}
        return Call(self.verb, path, {**self.arguments, **known})

    def as_json(self) -> dict[str, Any]:
        """Return the call as `calls.json` has it."""
        path = {"path": self.path} if self.path else {}
        return {"verb": self.verb, **path, **self.arguments}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Call:
        """Read one entry of `calls.json`."""
        rest = {name: value for name, value in data.items() if name not in {"verb", "path"}}
        return cls(str(data["verb"]), str(data.get("path", "")), rest)


@dataclass(frozen=True, slots=True)
class Case:
    """A case as its directory says it."""

    id: str
    title: str
    kind: str
    calls: tuple[Call, ...]
    before: Files
    # Each is a whole tree that would be right; none of them, and the calls must be refused.
    afters: tuple[Files, ...] = ()
    # Lines of the file, stripped, that an answer should show (or name by number) first.
    place: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    # Lines that an answer must not show before the right place.
    decoys: tuple[str, ...] = ()
    outside: Files = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    modes: Mapping[str, int] = field(default_factory=dict)
    padding: int = 0
    # To refuse is as right as to land.
    may_refuse: bool = False
    # `parallel`: the calls are sent at once; `kill`, `watch`: see `trials.py`.
    trial: str = ""
    provenance: str = ""
    loss: str = ""

    @property
    def refuses(self) -> bool:
        """Tell whether the calls must be refused."""
        return not self.afters

    @property
    def verbs(self) -> set[str]:
        """Return the verbs that a server must offer to be asked."""
        return {call.verb for call in self.calls} - {*STEPS}

    @property
    def baseline(self) -> Files:
        """Return the files before the last call: what others saved meanwhile is there."""
        saved = {call.path: call["text"] for call in self.calls if call.verb == "meanwhile"}
        return {**self.before, **{path: text.encode() for path, text in saved.items()}}

    def padded(self, files: Files) -> dict[str, bytes]:
        """Return the files as they lie on disk: long ones are not committed but padded."""
        if not self.padding:
            return dict(files)
        lines = [PADDING.format(number) for number in range(2 * self.padding)]
        head = "".join(lines[: self.padding]).encode()
        tail = "".join(lines[self.padding :]).encode()
        return {path: head + data + tail for path, data in files.items()}


def load(directory: Path) -> Case:
    """Read a case from its directory."""
    meta = tomllib.loads((directory / "meta.toml").read_text(encoding="utf-8"))
    refusal = directory / "refusal.toml"
    found = tomllib.loads(refusal.read_text(encoding="utf-8")) if refusal.exists() else meta
    calls = json.loads((directory / "calls.json").read_text(encoding="utf-8"))
    afters = sorted(directory.glob("after*"))
    return Case(
        id=directory.name,
        title=meta["title"],
        kind=meta["class"],
        calls=tuple(Call.of(call) for call in calls),
        before=_files(directory / "before"),
        afters=tuple(_files(after) for after in afters),
        place=tuple(found.get("place", ())),
        lines=tuple(found.get("lines", ())),
        decoys=tuple(found.get("decoys", ())),
        outside=_files(directory / "outside"),
        links=meta.get("links", {}),
        modes={path: int(mode, 8) for path, mode in meta.get("modes", {}).items()},
        padding=meta.get("padding", 0),
        may_refuse=meta.get("may_refuse", False),
        trial=meta.get("trial", ""),
        provenance=meta["provenance"],
        loss=meta["loss"],
    )


def save(case: Case, directory: Path) -> None:
    """Write a case as a directory."""
    directory.mkdir(parents=True)
    calls = json.dumps([call.as_json() for call in case.calls], indent=2, ensure_ascii=False)
    _write(directory / "calls.json", f"{calls}\n")
    _write_files(directory / "before", case.before)
    _write_files(directory / "outside", case.outside)
    for number, after in enumerate(case.afters):
        _write_files(directory / ("after" if not number else f"after-{number + 1}"), after)
    _write(directory / "meta.toml", _toml(_meta(case)))
    if case.refuses:
        _write(directory / "refusal.toml", _toml(_place(case)))


def load_edition(name: str) -> Iterator[Case]:
    """Read the cases of a frozen edition, by their ids."""
    root = Path(__file__).parent / "editions" / name
    if not root.is_dir():
        raise FileNotFoundError(f"there is no edition {name}: {root}")
    yield from (load(each) for each in sorted(root.iterdir()) if (each / "meta.toml").exists())


def _meta(case: Case) -> dict[str, Any]:
    meta: dict[str, Any] = {"title": case.title, "class": case.kind}
    meta |= {"provenance": case.provenance, "loss": case.loss}
    meta |= {} if case.refuses else _place(case)
    meta |= {"padding": case.padding} if case.padding else {}
    meta |= {"may_refuse": True} if case.may_refuse else {}
    meta |= {"trial": case.trial} if case.trial else {}
    meta |= {"links": dict(case.links)} if case.links else {}
    modes = {path: f"{mode:o}" for path, mode in case.modes.items()}
    return meta | ({"modes": modes} if modes else {})


def _place(case: Case) -> dict[str, Any]:
    found = {"place": case.place, "lines": case.lines, "decoys": case.decoys}
    return {name: list(value) for name, value in found.items() if value}


def _toml(data: Mapping[str, Any]) -> str:
    """Spell plain values as TOML; JSON's strings, numbers and arrays are TOML's too."""
    lines, tables = [], []
    for name, value in data.items():
        if isinstance(value, dict):
            rows = [f"{_spelled(key)} = {_spelled(each)}" for key, each in value.items()]
            tables.append("\n".join([f"\n[{name}]", *rows]))
        else:
            lines.append(f"{name} = {_spelled(value)}")
    return "\n".join([*lines, *tables]) + "\n"


def _spelled(value: object) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _files(directory: Path) -> dict[str, bytes]:
    if not directory.is_dir():
        return {}
    # pip compiles what looks like Python, cases too.
    found = sorted(
        each
        for each in directory.rglob("*")
        if each.is_file() and each.parent.name != "__pycache__"
    )
    return {each.relative_to(directory).as_posix(): each.read_bytes() for each in found}


def _write_files(directory: Path, files: Files) -> None:
    for path, data in files.items():
        (directory / path).parent.mkdir(parents=True, exist_ok=True)
        (directory / path).write_bytes(data)


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode())
