"""The bundle for desktop programs (`.mcpb`), and `server.json` for the registry of servers."""

import hashlib
import io
import zipfile
from collections.abc import Iterator

from packages.facts import NAME, ROOT, Facts, as_json, facts
from packages.icon import icon

REGISTRY = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
# Whoever publishes names a domain of his own and where the bundle lies; nobody owns these.
PUBLISHER = "example.keyhole"
RELEASES = "https://keyhole.example/releases"
# The first moment that an archive can name: the same files make the same bytes.
_EPOCH = (1980, 1, 1, 0, 0, 0)


def bundle_name() -> str:
    """Return the name of the bundle's file."""
    return f"{NAME}-{facts().version}.mcpb"


def bundle() -> bytes:
    """Return the archive: the manifest, and the project for `uv` to run."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, body in sorted(_contents()):
            archive.writestr(zipfile.ZipInfo(path, _EPOCH), body, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _contents() -> Iterator[tuple[str, bytes]]:
    """Yield the manifest, and what the program is built from."""
    yield "manifest.json", as_json(manifest(facts())).encode()
    yield "icon.png", icon()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        yield name, (ROOT / name).read_bytes()
    for path in (ROOT / "src" / NAME).rglob("*"):
        if path.is_file() and path.suffix not in {".pyc", ".pyo"}:
            yield path.relative_to(ROOT).as_posix(), path.read_bytes()


def manifest(known: Facts) -> dict[str, object]:
    """Return the manifest of the bundle."""
    command = ["run", "--quiet", "--no-dev", "--project", "${__dirname}", NAME, "mcp"]
    return {
        "manifest_version": "0.4",
        "name": NAME,
        "display_name": NAME,
        "version": known.version,
        "description": known.description,
        "author": {"name": known.author},
        "license": known.licence,
        "keywords": list(known.keywords),
        "icon": "icon.png",
        "server": {
            "type": "uv",
            "entry_point": f"src/{NAME}/__main__.py",
            "mcp_config": {"command": "uv", "args": [*command, "${user_config.roots}"]},
        },
        "tools": [{"name": name, "description": about} for name, about in known.tools.items()],
        "prompts_generated": True,
        "compatibility": {"platforms": ["darwin", "linux"], "runtimes": {"python": ">=3.11"}},
        "user_config": {
            "roots": {
                "type": "directory",
                "title": "Projects",
                "description": "The directories whose files keyhole may read and edit",
                "multiple": True,
                "required": True,
            }
        },
    }


def registration(body: bytes, publisher: str = PUBLISHER, releases: str = RELEASES) -> str:
    """Return `server.json` for a bundle that a publisher puts below an address."""
    known = facts()
    package = {
        "registryType": "mcpb",
        "identifier": f"{releases.rstrip('/')}/{bundle_name()}",
        "version": known.version,
        "fileSha256": hashlib.sha256(body).hexdigest(),
        "transport": {"type": "stdio"},
    }
    value = {
        "$schema": REGISTRY,
        "name": f"{publisher}/{NAME}",
        "title": NAME,
        "description": known.description,
        "version": known.version,
        "packages": [package],
    }
    return as_json(value)
