from keyhole.surfaces.mcp.setup import Setup
from keyhole.surfaces.mcp.workspaces import Allowed


def test_a_server_that_is_told_nothing_offers_everything_to_the_clients_roots() -> None:
    assert Setup() == Setup((), Allowed(read_only=False, extensions=()), (), "")
