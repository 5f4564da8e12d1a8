from pathlib import Path

from keyhole.sharing.status import Status, load, save


def test_what_another_version_wrote_down_counts_as_nothing(tmp_path: Path) -> None:
    save(tmp_path, Status())
    [kept] = tmp_path.iterdir()
    kept.write_text('{"field": "of another version"}', encoding="utf-8")

    assert load(tmp_path) == Status()
