"""The files of a small project, for pictures of the review page."""

from __future__ import annotations

from collections.abc import Mapping

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
