"""Where a page is served is known as long as it is, and no longer."""

from pathlib import Path

from keyhole.surfaces.http.announced import address_at, announced


def test_an_address_is_known_while_the_page_is_served(tmp_path: Path) -> None:
    path = tmp_path / "state" / "review-address"
    assert address_at(path) == ""

    with announced(path, "http://one"):
        assert address_at(path) == "http://one"
        with announced(path, "http://two"):
            assert address_at(path) == "http://one"
        assert path.stat().st_mode & 0o077 == 0

    assert address_at(path) == ""
    with announced(path, "http://three"):
        assert address_at(path) == "http://three"


def test_a_page_whose_address_cannot_be_written_is_served_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    path = tmp_path / "file" / "review-address"

    with announced(path, "http://one"):
        assert address_at(path) == ""
