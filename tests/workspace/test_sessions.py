from pathlib import Path

from keyhole.engine.options import session_name
from keyhole.workspace.state import Sessions

SERVER = session_name("0a1b2c3d")


def test_a_session_is_open_for_all_as_long_as_its_server_is_there(tmp_path: Path) -> None:
    own, other = Sessions(tmp_path), Sessions(tmp_path)
    own.keep(SERVER)
    own.keep(SERVER)
    own.keep("a task that somebody named")

    assert (own.is_kept(SERVER), other.is_kept(SERVER)) == (True, False)
    assert (own.is_open(SERVER), other.is_open(SERVER)) == (True, True)

    own.close()
    assert (own.is_open(SERVER), other.is_open(SERVER)) == (False, False)


def test_what_a_dead_server_left_is_cleared_away(tmp_path: Path) -> None:
    left = tmp_path / "sessions" / "0a1b2c3d"
    left.parent.mkdir()
    left.touch()

    assert not Sessions(tmp_path).is_open(SERVER)
    assert not left.exists()


def test_others_know_which_servers_edit_without_waiting_for_the_disk(tmp_path: Path) -> None:
    own, other = Sessions(tmp_path), Sessions(tmp_path, durable=False)
    (tmp_path / "sessions").mkdir()
    (tmp_path / "sessions" / "0a1b2c3d").write_text("process", encoding="ascii")  # a dead one's
    own.keep(session_name("11111111"))
    other.keep(SERVER)
    other.keep(session_name("22222222"))
    found = [own.undurable(), other.undurable()]
    other.close()

    assert found == [2, 2]
    assert own.undurable() == 0
