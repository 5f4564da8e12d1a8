"""What every package says of keyhole: read from the project, the table of hosts and the tools."""

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from keyhole import __version__
from keyhole.hosts.model import CLIENT, ServerEntry
from keyhole.hosts.table import HEADING, HOSTS, INSTRUCTIONS
from keyhole.surfaces.mcp.front.greeting import table
from keyhole.surfaces.mcp.guide import GUIDE, TITLE

ROOT = Path(__file__).parent.parent
NAME = "keyhole"
SKILL = "editing-files"
# How keyhole comes to the machine: its name in public registries is not ours to promise.
GET_IT = "uv tool install WHEEL"


@dataclass(frozen=True, slots=True)
class Facts:
    """The words that packages share."""

    version: str
    description: str
    licence: str
    licence_text: str
    author: str
    keywords: tuple[str, ...]
    # The tools by name, with what each is for.
    tools: dict[str, str]

    @property
    def about(self) -> dict[str, object]:
        """What all manifests of plugins begin with."""
        return {
            "name": NAME,
            "version": self.version,
            "description": self.description,
            "author": {"name": self.author},
            "license": self.licence,
            "keywords": list(self.keywords),
        }


def facts() -> Facts:
    """Read them."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    baked = table()
    tools = [baked["tools"][word] for word in baked["words"]["native"]]
    return Facts(
        version=semantic(__version__),
        description=project["description"],
        licence=project["license"],
        licence_text=(ROOT / "LICENSE").read_text(encoding="utf-8"),
        author=project["authors"][0]["name"],
        keywords=tuple(project["keywords"]),
        tools={tool["name"]: tool["description"].partition(" Example: ")[0] for tool in tools},
    )


def semantic(version: str) -> str:
    """Return a version of Python's as hosts read versions: 0.2.0.dev0 is 0.2.0-dev.0."""
    found = re.fullmatch(r"(\d+\.\d+\.\d+)(?:\.?(a|b|rc|dev)(\d+))?", version)
    assert found, f"BUG: {version} has no spelling for hosts"
    base, stage, number = found.groups()
    word = {"a": "alpha", "b": "beta"}.get(stage, stage)
    return f"{base}-{word}.{number}" if stage else base


def server(host: str, root: str) -> dict[str, object]:
    """Return the entry of the server as a host reads it; what is on the search path is started."""
    words = () if root == CLIENT else ("--root", root)
    return HOSTS[host].entry(ServerEntry(NAME, (NAME, "mcp", *words)))


def skill() -> str:
    """Return the skill: the guide that the server also offers as a prompt."""
    head = {
        "name": SKILL,
        "description": "Change files with the tools of keyhole. Use it whenever a file is to be "
        "edited, patched, created or restored, or when an edit was refused.",
    }
    lines = "\n".join(f"{key}: {value}" for key, value in head.items())
    return f"---\n{lines}\n---\n\n# {TITLE}\n\n{GUIDE}"


def advice() -> str:
    """Return what a model is told before it has seen a tool, in one paragraph."""
    return " ".join(INSTRUCTIONS.removeprefix(HEADING).split())


def rule() -> str:
    """Return the advice as a rule of Cursor."""
    head = "---\ndescription: how to edit files\nalwaysApply: true\n---\n\n"
    return f"{head}{INSTRUCTIONS}"


def as_json(value: object) -> str:
    """Return JSON as the files of packages have it."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
