"""A configuration file: what is wrong with it is said by name."""

from pathlib import Path

import pytest

from keyhole.engine.settings import values_of
from keyhole.refusals import Refused


def refused(file: Path, said: str) -> str:
    file.write_text(said, encoding="utf-8")
    with pytest.raises(Refused) as caught:
        values_of(file)
    return caught.value.refusals[0].headline.removeprefix(f"{file} ")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("keep_days = -1", "sets `keep_days` to -1, which is not a number from 0"),
        ("max_bytes = true", "sets `max_bytes` to True, which is not a number from 0"),
        ("read_only = 1", "sets `read_only` to 1, which is not true or false"),
        ('extensions = "md"', "sets `extensions` to 'md', which is not a list"),
        ("extensions = [1]", "sets `extensions` to a list that holds more than text"),
        ('encoding = "klingon"', "sets `encoding` to 'klingon', which is no encoding"),
        ("validators = 1", "sets `validators` to 1, which is not a table"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(tmp_path: Path, said: str, told: str) -> None:
    assert refused(tmp_path / "config.toml", said) == told


def test_an_unknown_setting_is_refused_with_those_there_are(tmp_path: Path) -> None:
    told = refused(tmp_path / "config.toml", "colour = 1")

    assert told.startswith("has the unknown setting `colour`; settings are read_only, ")


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "config.toml", "read_only").startswith("is not TOML: ")


def test_a_key_of_very_many_parts_is_refused_at_once(tmp_path: Path) -> None:
    said = ".".join(["a"] * 30_000) + " = 1"

    assert refused(tmp_path / "config.toml", said) == (
        "cannot be read: a dotted key has more than 32 parts"
    )


def test_without_a_file_nothing_is_said(tmp_path: Path) -> None:
    assert values_of(tmp_path / "config.toml") == {}
