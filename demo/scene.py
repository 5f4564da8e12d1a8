"""A project in which several agents have worked for a while, for pictures of the review page."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from demo.shop import FILES
from keyhole.edits.model.operations import Edit
from keyhole.engine.edit.requests import operation_of
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import HistoryRequest, UndoRequest
from keyhole.engine.options import Options
from keyhole.fastclasses import replace


def set_up(root: Path) -> None:
    """Write the project's files."""
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


CLAUDE = Options(actor="claude-code", tool="mcp edit")
CODEX = Options(actor="codex", tool="mcp patch")
CURSOR = Options(actor="cursor", tool="mcp edit")


@contextmanager
def clock(ago: float) -> Iterator[None]:
    """Let everything inside happen so many minutes ago."""
    real = time.time
    time.time = lambda: real() - 60 * ago
    try:
        yield
    finally:
        time.time = real


def work(engine: Engine) -> None:
    """Let three agents work on it: edits, refusals, an undo, an overruled conflict."""
    _weeks_before(engine)
    steps = (_money, _retries, _refund, _docs, _address, _shipping, _receipts, _second_thought)
    for ago, step in zip((190, 171, 160, 122, 64, 58, 31, 12), steps, strict=True):
        with clock(ago):
            step(engine)
    with clock(4):
        _proposal(engine)


def _weeks_before(engine: Engine) -> None:
    """Fill three weeks: many small edits of a log, some of them refused at first."""
    agents = (CLAUDE, CODEX, CURSOR)
    with clock(21 * 24 * 60):
        new = operation_of("docs/log.md", "# Log\n", delete=False, move_to="", allow_shrink=False)
        engine.write(new, replace(CODEX, task="log", reason="Keep a log"))
    for number in range(130):
        agent = agents[(number * 7) % 3]
        options = replace(agent, task="log", reason=f"Note what happened, {number + 1}")
        with clock((21 - number * 0.155) * 24 * 60 + (number * 37) % 90):
            if number % 6 == 1:
                quote = "- nothing" if number % 4 else "# Log book"
                _edits(engine, options, Edit(find=quote, content="x"), path="docs/log.md")
            line = f"- entry {number + 1}"
            place = Edit(find=f"- entry {number}", action="after", content=f"\n{line}")
            end = Edit(action="append", content=line)
            _edits(engine, options, end if number % 5 == 0 else place, path="docs/log.md")


def _proposal(engine: Engine) -> None:
    _edits(
        engine,
        replace(CLAUDE, task="retries", reason="Try again when the service is busy", propose=True),
        Edit(
            segment="Client.__init__",
            content="def __init__(self, host, retries=RETRIES):\n    self.host = host\n"
            "    self.retries = retries",
            reason="Callers in a hurry want fewer",
        ),
        Edit(
            segment="Client.pay",
            find='return self._send("/pay", body)',
            content='return self._patiently("/pay", body)',
            reason="A payment is safe to send twice: the service knows its number",
        ),
        Edit(
            segment="Client._send",
            action="before",
            content="def _patiently(self, path, body):\n    for wait in range(self.retries):\n"
            "        try:\n            return self._send(path, body)\n"
            "        except OSError:\n            time.sleep(2**wait)\n"
            "    return self._send(path, body)",
            reason="One place that waits, twice as long each time",
        ),
        path="src/shop/client.py",
    )


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


def _refund(engine: Engine) -> None:
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


def _address(engine: Engine) -> None:
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


def _second_thought(engine: Engine) -> None:
    third = engine.history(HistoryRequest(task="docs")).transactions[0].entry.id
    engine.undo(
        UndoRequest(third),
        Options(reason="2.0 is not out yet", actor="review:anna", tool="review undo"),
    )


def _edits(engine: Engine, options: Options, *edits: Edit, path: str = "") -> None:
    engine.edit(edits, options, path)
