"""The document of a card, which a host shows beside the call: one for all cards, no request."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from mcp import types
from mcp.server.apps import APP_MIME_TYPE

URI = "ui://keyhole/card.html"
# Nothing is fetched from anywhere: without domains a host allows none.
_META = {"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": True}}


@cache
def document() -> str:
    """Return the document: the colours of the review page, and the script that asks the host."""
    own = files("keyhole.surfaces.mcp.app")
    shared = (files("keyhole.surfaces.pages") / "review.css").read_text("utf-8")
    style, script = ((own / name).read_text("utf-8") for name in ("card.css", "card.js"))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>keyhole</title>'
        '<meta name="color-scheme" content="light dark">'
        f"<style>{shared}\n{style}</style></head>"
        '<body class="card-page"><main id="card"><p class="empty">…</p></main>'
        '<p id="problem" class="problem" role="alert" hidden></p>'
        f"<script>{script}</script></body></html>\n"
    )


def resource() -> types.ReadResourceResult:
    """Return the document as a host reads it."""
    text = types.TextResourceContents(
        uri=URI, mime_type=APP_MIME_TYPE, text=document(), _meta=_META
    )
    return types.ReadResourceResult(contents=[text])
