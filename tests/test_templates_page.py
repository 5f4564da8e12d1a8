"""The examples of docs/templates.md, run: what the page shows is what keyhole says."""

import re
import shlex
from pathlib import Path

import pytest

from keyhole.templates.introspect import SYSTEM
from keyhole.templates.library import Library
from tests.surfaces.cli.shell import Shell

PAGE = (Path(__file__).parent.parent / "docs" / "templates.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    """Return the fenced blocks of one kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def runs() -> list[tuple[str, str]]:
    """Return the commands of the page in order, each with what it prints."""
    parts = re.split(r"^\$ keyhole (.*)\n", "".join(blocks("console")), flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture
def keyhole(tmp_path: Path) -> Shell:
    for name in ("root", "home"):
        (tmp_path / name).mkdir(parents=True)
    return Shell(tmp_path)


def settled(text: str) -> str:
    """Return an answer with what is different each time made the same."""
    text = re.sub(r"^(applied \d+)-\S+$", r"\1-f6cb", text, flags=re.MULTILINE)
    text = re.sub(r"\b[0-9a-f]{16}\b", "0123456789abcdef", text)
    return re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "2026-02-08T16:00:00Z", text)


def test_the_worked_example_is_true(keyhole: Shell) -> None:
    keyhole.write("keyhole.toml", blocks("toml")[0])
    keyhole.write("templates/note.md.j2", blocks("jinja")[0])

    steps = runs()
    said = [(line, settled(keyhole(*shlex.split(line)).out)) for line, _ in steps]

    assert said == steps
    assert len(steps) == 6
    head = keyhole.read("notes/a.md").decode().split("\n")[:2]
    written = blocks("html")[0].replace("updated=", "updated=2026-02-08T16:00:00Z")
    assert settled("".join(f"{line}\n" for line in head)) == written


def test_the_page_names_every_system_field_and_every_tier() -> None:
    tiers = {each.name for each in Library()._all() if "/" in each.name}

    assert [name for name in SYSTEM if f"`{name}`" not in PAGE] == []
    assert [name for name in tiers if name not in PAGE and "tier3/" not in name] == []
