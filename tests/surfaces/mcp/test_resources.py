from pathlib import Path

import pytest

from keyhole.surfaces.mcp import resources
from keyhole.surfaces.mcp.workspaces import Workspaces
from tests.surfaces.mcp.host import written


def test_completions_name_files_and_transactions_of_every_root(
    workspaces: Workspaces, roots: list[Path]
) -> None:
    ids = [written(workspaces, 0, "a.txt"), written(workspaces, 1, "b.txt")]

    def values(name: str, begun: str, path: str = "") -> list[str]:
        return resources.completed(workspaces, name, begun, path).completion.values

    assert values("path", "a") == ["a.txt"]
    assert values("path", str(roots[1])) == [f"{roots[1]}/b.txt"]
    assert sorted(values("id", "")) == sorted(ids)


def test_the_list_of_resources_stays_the_same_whatever_was_edited() -> None:
    assert [str(one.uri) for one in resources.listed().resources] == ["keyhole://history"]


@pytest.mark.parametrize("uri", ["keyhole://", "keyhole://transaction/", "file:///etc/passwd", ""])
def test_what_is_no_resource_is_none(workspaces: Workspaces, uri: str) -> None:
    assert resources.read(workspaces, uri) is None
