"""The calls of a card: it asks for its diff, and brings a person's decision about that diff.

Both calls carry the secret of their card. It comes in the `_meta` of the answer that the card is
shown beside; hosts hand that to the view and not to the model, so who knows it was shown the card.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from mcp import types

from keyhole.answers.history import ProposalSummary
from keyhole.answers.receipt import Receipt
from keyhole.arguments import bad_argument, check_names, required
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.proposals import Decision
from keyhole.fastclasses import dataclass
from keyhole.refusals import Refusal, Refused
from keyhole.surfaces.http.kept import kept_secret
from keyhole.surfaces.mcp.app.document import URI
from keyhole.surfaces.mcp.app.drawing import Drawn, proposal_card, transaction_card, undo_card
from keyhole.toolsets.base import Arguments, ToolAnswer, refusals_answer
from keyhole.toolsets.native.tools import TOOLS as NATIVE

if TYPE_CHECKING:
    from keyhole.engine.facade import Engine
    from keyhole.surfaces.mcp.workspaces import Workspaces

LOOK, DECIDE = "review_card", "review_decide"
META = "keyhole/card"
_DECISIONS = ("keep", "reject", "confirm")
_SHOWN_BESIDE = {tool.name for tool in NATIVE if tool.writes}


def with_cards(listed: types.ListToolsResult, *, read_only: bool) -> types.ListToolsResult:
    """Return the tools as a host with cards lists them: which have one, and what a card calls."""
    tools = [_shown_beside(tool) for tool in listed.tools]
    own = [_app_tool(LOOK, "Draw a card", ["card", "secret"], {"undo": {"type": "boolean"}})]
    if not read_only:
        words = {"decision": {"enum": [*_DECISIONS]}, "shown": {"type": "string"}}
        needed = ["card", "secret", "decision", "shown"]
        own.append(_app_tool(DECIDE, "Carry out what a person decided", needed, words))
    return listed.model_copy(update={"tools": [*tools, *own]})


def _shown_beside(tool: types.Tool) -> types.Tool:
    if tool.name not in _SHOWN_BESIDE:
        return tool
    return tool.model_copy(update={"meta": {**(tool.meta or {}), "ui": {"resourceUri": URI}}})


def _app_tool(name: str, about: str, needed: list[str], more: Mapping[str, object]) -> types.Tool:
    fields = {"card": {"type": "string"}, "secret": {"type": "string"}, **more}
    schema = {"type": "object", "properties": fields, "required": needed}
    looks = types.ToolAnnotations(read_only_hint=name == LOOK, open_world_hint=False)
    meta = {"ui": {"resourceUri": URI, "visibility": ["app"]}}
    said = f"{about}: for the card that a person sees, not for models"
    return types.Tool(
        name=name, description=said, input_schema=schema, annotations=looks, _meta=meta
    )


@dataclass(frozen=True, slots=True)
class Card:
    """One card: the workspace of what it shows, and its name."""

    engine: Engine
    name: str

    def drawn(self) -> Drawn:
        """Return what is to be seen now; of what was kept, its transaction."""
        offer = self._offer
        verdict = offer.proposed.verdict if offer else None
        if offer and not (verdict and verdict.transaction):
            return proposal_card(self.engine, self.engine.review.proposal(self.name))
        return transaction_card(self.engine, self.engine.review.transaction(self._transaction))

    def undo(self, actor: str, shown: str = "") -> Receipt:
        """Take back what the card shows; without the hash of a shown diff, only say what would."""
        options = Options(dry_run=not shown, actor=actor, tool="card undo")
        wish = UndoRequest(id=self._transaction, shown=shown, decided=bool(shown))
        return self.engine.undo(wish, options)

    def drawn_undo(self, actor: str) -> Drawn:
        """Return what an undo would do now."""
        return undo_card(self.engine, self._transaction, self.undo(actor))

    def decide(self, actor: str, shown: str, *, keeps: bool) -> Receipt:
        """Carry out what of the proposal still fits, or none of it."""
        if self._offer is None:
            raise Refused(bad_argument("decision", "only a proposal is kept or rejected"))
        units = self.engine.review.proposal(self.name).units
        accepted = {unit.key: keeps and not unit.clash for unit in units}
        return self.engine.review.decide(Decision(self.name, accepted, shown, actor))

    @property
    def _offer(self) -> ProposalSummary | None:
        known = self.engine.review.proposals()
        return next((each for each in known if each.proposed.id == self.name), None)

    @property
    def _transaction(self) -> str:
        """Return the transaction that the card shows; refuse where nothing is written yet."""
        if (offer := self._offer) is None:
            return self.name
        verdict = offer.proposed.verdict
        if verdict is None or not verdict.transaction:
            raise Refused(Refusal("nothing-to-undo", f"nothing of {self.name} was written"))
        return verdict.transaction


class Cards:
    """The cards of one server, and their secrets."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}

    def meta(self, workspaces: Workspaces, tool: str, answer: ToolAnswer) -> dict[str, object]:
        """Return what an answer tells the card that is shown beside it; nothing without a diff."""
        name = answer.data.get("transaction")
        if tool not in _SHOWN_BESIDE or answer.refused or not (isinstance(name, str) and name):
            return {}
        return {META: {"name": name, "secret": self._secret(workspaces.knowing(name), name)}}

    def call(self, workspaces: Workspaces, name: str, given: Arguments, actor: str) -> ToolAnswer:
        """Carry out a call of a card, or refuse whoever was shown none."""
        calls: Mapping[str, Callable[[Card, Arguments, str], ToolAnswer]] = {
            LOOK: _looked,
            DECIDE: _decided,
        }
        try:
            card = self._known(workspaces, given)
            return calls[name](card, given, f"card:{actor}")
        except Refused as refused:
            return refusals_answer(refused.refusals)

    def _known(self, workspaces: Workspaces, given: Arguments) -> Card:
        name, secret = required(given, "card"), required(given, "secret")
        engine = workspaces.knowing(name)
        right = self._secret(engine, name)
        if not hmac.compare_digest(secret.encode("utf-8", "replace"), right.encode()):
            headline = "only the card that a person sees can call this"
            help_line = "a person decides: in the card, or by `keyhole review`"
            raise Refused(Refusal("bad-request", headline, help=help_line))
        return Card(engine, name)

    def _secret(self, engine: Engine, name: str) -> str:
        """Return the secret of a card: known again after a restart, and the same for no other."""
        if engine.root not in self._keys:
            self._keys[engine.root] = kept_secret(engine.review.private("card-secret.json"))
        return hmac.new(self._keys[engine.root].encode(), name.encode(), "sha256").hexdigest()


def _looked(card: Card, given: Arguments, actor: str) -> ToolAnswer:
    check_names(given, {"card", "secret", "undo"}, f"`{LOOK}`")
    drawn = card.drawn_undo(actor) if given.get("undo") is True else card.drawn()
    return ToolAnswer(f"card {card.name}: {drawn.state}", drawn.data)


def _decided(card: Card, given: Arguments, actor: str) -> ToolAnswer:
    check_names(given, {"card", "secret", "decision", "shown"}, f"`{DECIDE}`")
    decision, shown = required(given, "decision"), required(given, "shown")
    if decision not in _DECISIONS:
        raise Refused(bad_argument("decision", f"`decision` is one of {', '.join(_DECISIONS)}"))
    if decision == "confirm":
        receipt = card.undo(actor, shown)
    else:
        receipt = card.decide(actor, shown, keeps=decision == "keep")
    if not receipt.ok:
        return refusals_answer(receipt.refusals)
    done = {"keep": "kept", "reject": "rejected", "confirm": "took back"}[decision]
    as_what = f" as {receipt.transaction}" if receipt.transaction else ""
    said = f"the user {done} {card.name}{as_what}"
    return ToolAnswer(said, {**card.drawn().data, "said": said})
