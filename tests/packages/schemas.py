"""What the published schemas of package formats ask for, each as a schema of JSON.

They say the same as those of the formats' authors, as far as our files have the keys: closed
where those are closed, with their patterns and bounds.
"""

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEXTS: Schema = {"type": "array", "items": TEXT}
NAME: Schema = {"type": "string", "minLength": 1, "pattern": r"^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"}
RELATIVE: Schema = {"type": "string", "pattern": r"^\./"}
VERSION: Schema = {"type": "string", "pattern": r"^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$"}


def closed(required: tuple[str, ...] = (), **properties: Schema) -> Schema:
    """Return the schema of an object that has no other keys."""
    return {
        "type": "object",
        "required": list(required),
        "properties": properties,
        "additionalProperties": False,
    }


def constant(value: str) -> Schema:
    """Return the schema of one value."""
    return {"const": value}


PERSON = closed(name=TEXT, email=TEXT, url=TEXT)
ABOUT: dict[str, Schema] = {
    "version": VERSION,
    "description": TEXT,
    "author": PERSON,
    "homepage": TEXT,
    "repository": TEXT,
    "license": TEXT,
    "keywords": TEXTS,
}
_AGENT = "https://agent-plugins.org/schemas/1.0.0"

# Agent Plugins 1.0.0: two files, both closed.
AGENT_PLUGIN = closed(
    ("$schema", "name"),
    **{"$schema": constant(f"{_AGENT}/plugin.schema.json")},
    name={**NAME, "maxLength": 64, "not": {"pattern": r"--|\.\."}},
    extensions={"type": "object", "additionalProperties": {"type": "object"}},
    **ABOUT,
)
AGENT_SERVERS = closed(
    ("$schema", "mcpServers"),
    **{"$schema": constant(f"{_AGENT}/mcp.schema.json")},
    mcpServers={
        "type": "object",
        "additionalProperties": closed(
            ("type", "command"),
            type=constant("stdio"),
            # One word, found on the search path or in the plugin.
            command={"type": "string", "pattern": r"^(\./)?[^\s$]+$"},
            args=TEXTS,
            env={
                "type": "object",
                "additionalProperties": TEXT,
                "propertyNames": {"not": {"enum": ["PLUGIN_ROOT", "PLUGIN_DATA"]}},
            },
            cwd=TEXT,
        ),
    },
)

# Cursor's own plugins: closed.
CURSOR_PLUGIN = closed(
    ("name",),
    name=NAME,
    displayName=TEXT,
    minClientVersions={"type": "object"},
    publisher={"type": "string", "minLength": 1},
    logo=TEXT,
    rules=RELATIVE,
    agents=RELATIVE,
    commands=RELATIVE,
    skills=RELATIVE,
    hooks=RELATIVE,
    mcpServers=RELATIVE,
    **{**ABOUT, "author": {**PERSON, "required": ["name"]}},
)
CURSOR_CATALOGUE = closed(
    ("name", "owner", "plugins"),
    name=NAME,
    owner={**PERSON, "required": ["name"]},
    metadata={"type": "object"},
    plugins={
        "type": "array",
        "minItems": 1,
        "items": closed(("name", "source"), name=NAME, source=TEXT, description=TEXT),
    },
)

# Codex's own plugins: open, so only what is there is looked at.
CODEX_PLUGIN: Schema = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "pattern": r"^[a-z0-9]+(-[a-z0-9]+)*$"},
        "skills": RELATIVE,
        "mcpServers": RELATIVE,
        "hooks": RELATIVE,
        "interface": {"type": "object", "required": ["displayName"]},
        **ABOUT,
    },
}
CODEX_CATALOGUE = closed(
    ("name", "plugins"),
    name=TEXT,
    interface=closed(("displayName",), displayName=TEXT),
    plugins={
        "type": "array",
        "minItems": 1,
        "items": closed(
            ("name", "source", "policy", "category"),
            name=TEXT,
            # A directory below the catalogue, never the catalogue's own.
            source=closed(
                ("source", "path"),
                source=constant("local"),
                path={"type": "string", "pattern": r"^\./[^/.]"},
            ),
            policy=closed(
                ("installation", "authentication"),
                installation={"enum": ["AVAILABLE", "INSTALLED_BY_DEFAULT", "NOT_AVAILABLE"]},
                authentication={"enum": ["ON_INSTALL", "ON_USE"]},
            ),
            category=TEXT,
        ),
    },
)

# The registry of servers, 2025-12-11: bundles come with their hash.
REGISTRY: Schema = {
    "type": "object",
    "required": ["name", "description", "version"],
    "properties": {
        "$schema": constant(
            "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
        ),
        "name": {
            "type": "string",
            "minLength": 3,
            "maxLength": 200,
            "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$",
        },
        "title": {"type": "string", "minLength": 1, "maxLength": 100},
        "description": {"type": "string", "minLength": 1, "maxLength": 100},
        "version": {**VERSION, "maxLength": 255},
        "packages": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["registryType", "identifier", "transport", "fileSha256"],
                "properties": {
                    "registryType": constant("mcpb"),
                    "identifier": {"type": "string", "pattern": r"^https://.+\.mcpb$"},
                    "version": VERSION,
                    "fileSha256": {"type": "string", "pattern": "^[a-f0-9]{64}$"},
                    "transport": closed(("type",), type=constant("stdio")),
                },
            },
        },
    },
}
