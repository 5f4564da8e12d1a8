import hashlib
from pathlib import Path

from keyhole.git import command
from keyhole.git.pipes import Pipes

DATA = b"names of files\0" * (4 << 20)


class Impatient(Pipes):
    """Pipes of a tree where git counts as waiting at once."""

    @property
    def patience(self) -> float:
        return 0.001


def test_git_that_reads_long_gets_all_that_it_is_given(tmp_path: Path) -> None:
    pipes = Impatient(str(tmp_path), tmp_path / "notes")

    done = command.run(["hash-object", "--stdin"], 20.0, data=DATA, pipes=pipes)

    own = hashlib.sha1(b"blob %d\0" % len(DATA) + DATA, usedforsecurity=False).hexdigest()
    assert (done.stdout.decode().strip(), done.returncode) == (own, 0)


def test_git_that_does_not_read_is_stopped_in_time() -> None:
    done = command.run(["hash-object", "/dev/zero"], 0.2, data=DATA)

    assert done.returncode == 128
