"""How a file is stored, where that is not the usual, and how an answer says what goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from keyhole.text.document import NOTEBOOK, Document

_SURROGATE = re.compile("[\ud800-\udfff]")


def form_of(document: Document) -> dict[str, object]:
    """Return what differs from UTF-8, LF and a final newline; usually nothing.

    Of a notebook whose cells cannot be read it says why.
    """
    text, encoding = document.text, document.encoding
    form: dict[str, object] = {}
    if flaw := document.flaw:
        form["flaw"] = flaw
    if document.bom:
        encoding = f"{encoding} with a byte-order mark"
    elif not text.isascii() and _SURROGATE.search(text):
        encoding = f"{encoding} with bytes that are no text"
    if encoding not in {"utf-8", NOTEBOOK}:
        form["encoding"] = encoding
    if "\r" in text and (ends := _line_ends(document)) != "LF":
        form["line_ends"] = ends
    return {**form, "final_newline": False} if _is_open(document) else form


def _line_ends(document: Document) -> str:
    """Return the name of the line ends, or both names where there are two kinds."""
    text = document.text
    if document.terminator == "\r":
        return "CR"
    pairs = text.count("\r\n")
    return "CRLF" if pairs == text.count("\n") else "CRLF and LF" if pairs else "LF"


def _is_open(document: Document) -> bool:
    return bool(document.text) and not document.text.endswith(document.terminator)


def call_text(call: Mapping[str, object]) -> str:
    """Return the arguments of a call as they are sent."""
    return json.dumps(call, ensure_ascii=False)


def more_text(tool: str, call: Mapping[str, object]) -> str:
    """Return a line that says which call goes on; nothing where all is shown."""
    return f"\nmore: {tool} {call_text(call)}" if call else ""


def form_text(form: Mapping[str, object]) -> str:
    """Return the same in words, behind a space; nothing where all is as usual."""
    words = [str(form[name]) for name in ("encoding", "line_ends") if name in form]
    words += ["no final newline"] if "final_newline" in form else []
    words += [f"its cells cannot be read: {form['flaw']}"] if "flaw" in form else []
    return f" ({', '.join(words)})" if words else ""
