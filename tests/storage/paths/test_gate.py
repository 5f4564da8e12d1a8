"""The gate: what may be written, and what to do about what may not."""

from pathlib import Path

import pytest

from keyhole import Edit, Workspace


@pytest.mark.parametrize(
    ("setting", "help_line"),
    [
        ('["md", ".TXT"]', "write files ending in .md, .txt"),
        ("[]", "ask the user to allow some: by the settings there are none"),
    ],
)
def test_a_file_of_another_kind_is_refused_with_the_kinds_there_are(
    tmp_path: Path, setting: str, help_line: str
) -> None:
    (tmp_path / "keyhole.toml").write_text(f"extensions = {setting}\n", encoding="utf-8")
    (tmp_path / "a.none").write_text("old\n", encoding="utf-8")

    with Workspace(tmp_path) as workspace:
        receipt = workspace.edit([Edit(find="old", content="new")], "a.none")

    [told] = receipt.refusals
    assert (told.code, told.help) == ("path-denied", help_line)
    assert (tmp_path / "a.none").read_text(encoding="utf-8") == "old\n"
