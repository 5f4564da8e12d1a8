"""docs/settings.md: every setting there is stands on it, and what it says of each is tried."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from keyhole.engine import opening
from keyhole.engine import settings as configuration
from keyhole.engine.settings import Settings, homes, load
from keyhole.refusals import Refused
from keyhole.surfaces.cli.grammar import COMMANDS, command

PAGE = (Path(__file__).parent.parent / "docs" / "settings.md").read_text(encoding="utf-8")
FIRST_ROW = "all but these below"


def rows(heading: str) -> list[list[str]]:
    """The rows of the table below a heading, without its head."""
    _, _, below = PAGE.partition(f"\n## {heading}\n")
    lines = [line for line in below.partition("\n## ")[0].split("\n") if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


EXAMPLES = {
    re.sub(r"^`\[?(\w+).*", r"\1", said): (said.strip("`"), own)
    for said, _, own, _ in rows("The files")
}
FLAGS = {
    who: set(re.findall(r"`(--[\w-]+)`", said)) for who, said in rows("Flags that are settings")
}


class Watched(dict[str, str]):
    """An environment that remembers which names it was asked for."""

    def __init__(self, values: Mapping[str, str]) -> None:
        super().__init__(values)
        self.asked: set[str] = set()

    def get(self, name: str, default: str = "") -> str:  # type: ignore[override]
        self.asked.add(name)
        return super().get(name, default)


def loaded(base: Path, user: str = "", own: str = "", **environment: str) -> Settings:
    """The settings of a workspace whose two files say this."""
    for file, said in (
        (base / "config/keyhole/config.toml", user),
        (base / "root/keyhole.toml", own),
    ):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(said, encoding="utf-8")
    home = {"HOME": str(base), "XDG_CONFIG_HOME": str(base / "config")}
    return load(base / "root", home | environment)


def test_every_setting_of_the_files_is_listed_and_no_other(tmp_path: Path) -> None:
    with pytest.raises(Refused) as caught:
        loaded(tmp_path, "colour = 1")

    known = caught.value.refusals[0].headline.partition("settings are ")[2].split(", ")
    assert sorted(EXAMPLES) == sorted(known)
    assert set(known) < set(Settings.__slots__)


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_does_what_the_page_says(tmp_path: Path, name: str) -> None:
    example, in_project = EXAMPLES[name]
    default = getattr(loaded(tmp_path), name)

    assert getattr(loaded(tmp_path, user=example), name) != default
    if in_project == "refused":
        with pytest.raises(Refused):
            loaded(tmp_path, own=example)
        return
    same = getattr(loaded(tmp_path, own=example), name) == default
    assert same == (in_project in {"ignored", "once trusted"})
    assert in_project in {"narrows", "counts", "unless you say", "ignored", "once trusted"}


def test_the_defaults_are_those_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("config", "state"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / name))
    given = {row[0].strip("`").partition(" ")[0]: row[1] for row in rows("The files")}
    engine = opening.open_place(tmp_path).engine
    kept = engine._tree.options.retention
    engine.close()
    found = loaded(tmp_path)

    assert int(given["max_bytes"]) == found.max_bytes
    assert int(given["keep_shared_days"]) == found.keep_shared_days
    assert (int(given["keep_days"]) * 86400.0, int(given["keep_bytes"])) == (
        kept.seconds,
        kept.size,
    )


def test_every_name_of_the_environment_is_listed_and_no_other(tmp_path: Path) -> None:
    watched = Watched({"HOME": str(tmp_path)})
    load(tmp_path, watched)
    homes(watched)

    listed = {
        name for row in rows("The environment") for name in re.findall(r"`([A-Z_]{4,})`", row[0])
    }
    assert listed == watched.asked | set(read_elsewhere())
    assert len(listed) == 10


def read_elsewhere() -> Iterator[str]:
    """The names that the reader of settings asks the process for."""
    for module in (opening, configuration):
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Attribute(attr="environ")), args=[name, *_]
                ):
                    yield ast.literal_eval(name)


@pytest.mark.parametrize("name", ["journal", "project", "machine"])
def test_the_environment_comes_before_the_user_s_file(tmp_path: Path, name: str) -> None:
    found = loaded(tmp_path, EXAMPLES[name][0], **{f"KEYHOLE_{name.upper()}": "other"})

    assert getattr(found, name) == "other"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_flags_that_are_settings_are_listed(name: str) -> None:
    own = {flag.name for flag in command(name).flags}
    every = FLAGS[FIRST_ROW]
    listed = FLAGS.get(f"`keyhole {name}`")

    if name in {"mcp", "review"}:
        assert listed == own
    elif listed is not None:
        assert listed == own & every
    else:
        assert own >= every - {"--actor", "--durability"}
