"""A project in which several agents have worked for a while, for pictures of the review page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from keyhole.edits.operations import Edit
from keyhole.engine import Engine
from keyhole.recalling import Query, Wish
from keyhole.requests import Options, operation_of
from keyhole.values import replace

FILES: Mapping[str, str] = {
    "src/shop/cart.py": '''\
"""The shopping cart."""

from dataclasses import dataclass, field

TAX = 0.19


@dataclass
class Item:
    """One product in the cart."""

    name: str
    price: float
    quantity: int = 1


@dataclass
class Cart:
    """Everything a customer wants to buy."""

    items: list[Item] = field(default_factory=list)

    def add(self, item):
        self.items.append(item)

    def total(self):
        """Return what the customer pays."""
        total = 0
        for item in self.items:
            total = total + item.price * item.quantity
        return total * (1 + TAX)

    def is_empty(self):
        return len(self.items) == 0


def receipt(cart):
    """Return the receipt as text."""
    lines = []
    for item in cart.items:
        lines.append(item.name + " " + str(item.price))
    return "\\n".join(lines)


def ship(cart, address):
    """Hand the cart over to the carrier."""
    if cart.is_empty():
        return None
    label = address.upper()
    return {"to": label, "items": len(cart.items)}
''',
    "src/shop/client.py": '''\
"""Talks to the payment service."""

import json
import urllib.request

RETRIES = 3
TIMEOUT = 30


class Client:
    """One connection to the service."""

    def __init__(self, host):
        self.host = host

    def pay(self, amount):
        """Charge the customer."""
        body = json.dumps({"amount": amount})
        return self._send("/pay", body)

    def refund(self, amount):
        """Give the money back."""
        body = json.dumps({"amount": -amount})
        return self._send("/pay", body)

    def _send(self, path, body):
        request = urllib.request.Request(self.host + path, body.encode())
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            return json.load(answer)
''',
    "README.md": "# Shop\n\nA shop.\n\n## Install\n\nRun `setup.py`.\n\n## Use\n\nStart it.\n",
    "config/shop.toml": 'name = "shop"\n\n[limits]\nitems = 100\nretries = 3\n',
}


def set_up(root: Path) -> None:
    """Write the project's files."""
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


CLAUDE = Options(actor="claude-code", tool="mcp edit")
CODEX = Options(actor="codex", tool="mcp patch")
CURSOR = Options(actor="cursor", tool="mcp edit")


def work(engine: Engine) -> None:
    """Let three agents work on it: edits, refusals, an undo, an overruled conflict."""
    _money(engine)
    _retries(engine)
    _docs(engine)
    _shipping(engine)
    _receipts(engine)


def _money(engine: Engine) -> None:
    _edits(
        engine,
        replace(CLAUDE, task="money", reason="Count in cents, so nothing is rounded twice"),
        Edit(
            segment="Item",
            find="price: float",
            content="cents: int",
            reason="Floats lose cents",
        ),
        Edit(
            segment="Cart.total",
            find="total = 0\n",
            until="return total * (1 + TAX)",
            content="net = sum(item.cents * item.quantity for item in self.items)\n"
            "return round(net * (1 + TAX))",
            reason="One sum in whole cents, rounded once at the end",
        ),
        Edit(
            segment="receipt",
            find='lines.append(item.name + " " + str(item.price))',
            content='lines.append(f"{item.name} {item.cents / 100:.2f}")',
            reason="People read euros, not cents",
        ),
        path="src/shop/cart.py",
    )


def _retries(engine: Engine) -> None:
    _edits(
        engine,
        replace(CURSOR, task="retries", reason="Wait longer for slow payment days"),
        Edit(path="src/shop/client.py", find="TIMEOUT = 30", content="TIMEOUT = 60"),
        Edit(path="config/shop.toml", segment="limits.retries", content="5"),
    )
    for quote in ("def charge(self, amount):", "self._post('/pay', body)"):
        _edits(
            engine,
            replace(CURSOR, task="retries"),
            Edit(path="src/shop/client.py", find=quote, content="x"),
        )
    _edits(
        engine,
        replace(CURSOR, task="retries", reason="A refund is not a negative payment"),
        Edit(
            path="src/shop/client.py",
            segment="Client.refund",
            content='def refund(self, payment):\n    """Give the money of one payment back."""\n'
            '    body = json.dumps({"payment": payment})\n    return self._send("/refund", body)\n',
            reason="The service has its own call for it, and keeps both on one receipt",
        ),
    )


def _docs(engine: Engine) -> None:
    engine.patch(
        "--- a/README.md\n+++ b/README.md\n@@ -5,5 +5,5 @@\n ## Install\n \n-Run `setup.py`.\n"
        "+Run `pip install shop`.\n \n ## Use\n",
        replace(CODEX, task="docs", reason="setup.py is gone since 2.0"),
    )
    engine.write(
        operation_of(
            "src/shop/address.py",
            '"""Addresses."""\n\n\ndef normal(address: str) -> str:\n'
            '    """Return an address as the carrier wants it."""\n'
            '    return " ".join(address.split()).upper()\n',
            delete=False,
            move_to="",
            allow_shrink=False,
        ),
        replace(CODEX, task="shipping", reason="The carrier refuses double blanks"),
    )


def _shipping(engine: Engine) -> None:
    _edits(
        engine,
        replace(
            CLAUDE,
            task="shipping",
            reason="Labels go through the one place that knows addresses",
            on_conflict="warn",
        ),
        Edit(
            path="src/shop/cart.py",
            find="def add(self, item):\n    self.items.append(item)",
            content="def add(self, item):\n    if item.quantity:\n        self.items.append(item)",
            reason="The carrier refuses parcels with nothing in them",
        ),
        Edit(
            path="src/shop/cart.py",
            segment="ship",
            find="label = address.upper()",
            content="label = normal(address)",
        ),
        Edit(
            path="src/shop/cart.py",
            find="from dataclasses import dataclass, field",
            action="after",
            content="\n\nfrom shop.address import normal",
        ),
    )


def _receipts(engine: Engine) -> None:
    _edits(
        engine,
        replace(
            CURSOR, task="receipts", reason="Say how many of each were bought", on_conflict="warn"
        ),
        Edit(
            path="src/shop/cart.py",
            find='f"{item.name} {item.cents / 100:.2f}"',
            content='f"{item.quantity} × {item.name} {item.cents / 100:.2f}"',
        ),
    )
    third = engine.history(Query(task="docs")).transactions[0].entry.id
    engine.undo(
        Wish(third), Options(reason="2.0 is not out yet", actor="review:anna", tool="review undo")
    )


def _edits(engine: Engine, options: Options, *edits: Edit, path: str = "") -> None:
    engine.edit(edits, options, path)
