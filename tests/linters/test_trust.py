import os
from pathlib import Path

import pytest

from keyhole.linters.base import Linter
from keyhole.linters.trust import Trust
from tests.linters.stage import Stage


def trust_in(stage: Stage) -> Trust:
    return Trust(str(stage.root), str(stage.home / "state"))


def named_by(source: str, *words: str) -> Linter:
    return Linter("mine", words or ("tool",), ("python",), source=source)


@pytest.fixture
def configured(stage: Stage) -> Stage:
    stage.put("keyhole.toml", "[validators]\n")
    return stage


def hash_of(file: Path) -> str:
    import hashlib

    return hashlib.sha256(file.read_bytes()).hexdigest()


def test_nothing_is_trusted_before_somebody_says_so(configured: Stage) -> None:
    trust = trust_in(configured)

    assert trust.objection() == "keyhole.toml is not trusted"
    assert not trust.covers(named_by(hash_of(configured.root / "keyhole.toml")))


def test_what_was_trusted_is_trusted_until_it_changes(configured: Stage) -> None:
    trust = trust_in(configured)
    linter = named_by(hash_of(configured.root / "keyhole.toml"))

    assert trust.grant([linter]) == {"keyhole.toml": linter.source}
    assert trust.objection() == ""
    assert trust.covers(linter)
    configured.put("keyhole.toml", "[validators]\n# changed\n")
    assert trust.objection() == "keyhole.toml changed since it was trusted"
    configured.put("keyhole.toml", "[validators]\n")
    assert trust.objection() == ""


def test_a_linter_read_from_another_version_is_not_covered(configured: Stage) -> None:
    trust = trust_in(configured)
    trust.grant([named_by(hash_of(configured.root / "keyhole.toml"))])

    assert not trust.covers(named_by("0" * 64))


def test_the_word_is_for_the_version_that_was_read_not_the_one_that_is_there(
    configured: Stage,
) -> None:
    trust = trust_in(configured)
    read = named_by(hash_of(configured.root / "keyhole.toml"))
    configured.put("keyhole.toml", "[validators.evil]\n")

    trust.grant([read])

    assert trust.objection() == "keyhole.toml changed since it was trusted"


def test_scripts_of_the_workspace_are_part_of_what_is_trusted(configured: Stage) -> None:
    configured.put("tools/check.py", "print()")
    trust = trust_in(configured)
    source = hash_of(configured.root / "keyhole.toml")

    files = trust.grant([named_by(source, "python3", "./tools/check.py", "{path}", "/bin/sh")])

    assert list(files) == ["keyhole.toml", "tools/check.py"]
    assert trust.objection() == ""
    assert trust.objection({"tools/check.py"}) == "tools/check.py changed since it was trusted"
    configured.put("tools/check.py", "evil()")
    assert trust.objection() == "tools/check.py changed since it was trusted"
    (configured.root / "tools/check.py").unlink()
    assert trust.objection() == "tools/check.py changed since it was trusted"


def test_a_workspace_without_keyhole_toml_can_be_trusted_and_gaining_one_ends_it(
    stage: Stage,
) -> None:
    trust = trust_in(stage)

    assert trust.grant([]) == {"keyhole.toml": "no such file"}
    assert trust.objection() == ""
    stage.put("keyhole.toml", "")
    assert trust.objection() == "keyhole.toml changed since it was trusted"


def test_a_word_can_be_taken_back(configured: Stage) -> None:
    trust = trust_in(configured)
    trust.grant([])

    assert trust.revoke()
    assert not trust.revoke()
    assert trust.objection() == "keyhole.toml is not trusted"


def test_a_damaged_record_trusts_nothing(configured: Stage) -> None:
    trust = trust_in(configured)
    trust.grant([])

    for damaged in ("", "{", "[]", '{"files": {}}', '{"files": {"other": "x"}}'):
        (configured.home / "state" / "trust.json").write_text(damaged, encoding="utf-8")
        assert trust.objection() == "keyhole.toml is not trusted"


def test_the_record_is_private(configured: Stage) -> None:
    trust_in(configured).grant([])

    record = configured.home / "state" / "trust.json"
    assert record.stat().st_mode & 0o777 == 0o600
    assert record.parent.stat().st_mode & 0o777 == 0o700


def test_a_pipe_in_place_of_keyhole_toml_is_never_trusted(stage: Stage) -> None:
    os.mkfifo(stage.root / "keyhole.toml")

    told = trust_in(stage).grant([])

    assert told == {"keyhole.toml": "no hash: is not a regular file"}
    assert trust_in(stage).objection() == "keyhole.toml changed since it was trusted"
