from pathlib import Path

import pytest

from keyhole.checkpoints.store import CheckpointStore
from keyhole.refusals import Refused


def test_only_one_looks_at_a_time(tmp_path: Path) -> None:
    one = CheckpointStore(tmp_path / "state", str(tmp_path))
    assert not one.is_there

    with one.held(1.0):
        assert one.is_there
        with pytest.raises(Refused, match="looks at the tree"), one.held(0.01):
            pass
    with one.held(1.0):
        pass
    one.close()
