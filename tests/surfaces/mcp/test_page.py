from pathlib import Path

import pytest

from keyhole.hosts.table import HOSTS
from keyhole.surfaces.cli.mcp import COMMAND
from keyhole.surfaces.mcp.guide import NAME
from keyhole.surfaces.mcp.resources import HISTORY, templates
from keyhole.surfaces.mcp.tools import NATIVE
from keyhole.toolsets import SETS, tools_of

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("page", ["README.md", "docs/mcp.md"])
def test_the_pages_name_every_tool(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")

    assert [tool.name for tool in NATIVE if f"`{tool.name}`" not in text] == []
    assert f"`{NAME}`" in text


def test_the_page_of_hosts_names_every_host() -> None:
    text = (ROOT / "docs/hosts.md").read_text(encoding="utf-8")

    assert [name for name in HOSTS if f"`{name}`" not in text] == []


def test_the_page_names_every_resource() -> None:
    text = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")
    named = [template.uri_template for template in templates().resource_templates]

    assert [uri for uri in [HISTORY, *named] if f"`{uri}`" not in text] == []


def test_the_page_names_every_flag_and_every_set_with_its_tools() -> None:
    text = (ROOT / "docs/mcp.md").read_text(encoding="utf-8")
    flags = [flag.name for flag in COMMAND.flags]
    tools = [tool.name for name in SETS for tool in tools_of(name)]

    assert [name for name in flags if f"`{name}" not in text] == []
    assert [name for name in (*SETS, *tools) if f"`{name}`" not in text] == []
