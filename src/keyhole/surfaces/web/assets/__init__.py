"""The files that come with the pages."""

from __future__ import annotations

from importlib.resources import files

TYPES = {
    "review.css": "text/css; charset=utf-8",
    "review.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
    "waiting.svg": "image/svg+xml",
}


def asset(name: str) -> bytes:
    """Return one of them."""
    room = "keyhole.surfaces.pages" if name == "review.css" else "keyhole.surfaces.web.assets"
    return (files(room) / name).read_bytes()
