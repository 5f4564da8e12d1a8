"""Balance: whether brackets and quotes match, counted with little knowledge of the language."""

from __future__ import annotations

import re
from typing import NamedTuple

_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"))
# Strings on one line, single characters, and the comments of most languages.
_NOT_CODE = re.compile(
    r'"(?:[^"\\\n]++|\\.)*+"|\'(?:[^\'\\\n]|\\.)\'|//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)|(?P<hash>(?m:^|(?<=\s))#[^\n]*)'
)
# Languages in which a hash does not begin a comment.
_HASH_IS_CODE = frozenset({"c", "cpp", "csharp", "css"})


class Balance(NamedTuple):
    """How many brackets of a text have no partner, and whether a double quote has none."""

    brackets: int
    quotes: int

    @property
    def is_even(self) -> bool:
        """Tell whether everything has its partner."""
        return not self.brackets and not self.quotes

    def is_worse_than(self, other: Balance) -> bool:
        """Tell whether more is without a partner."""
        return self.brackets > other.brackets or self.quotes > other.quotes

    def is_better_than(self, other: Balance) -> bool:
        """Tell whether fewer brackets are without a partner; of quotes only one can be."""
        return self.brackets < other.brackets and self.quotes <= other.quotes


def balance_of(syntax: str, text: str) -> Balance:
    """Count what has no partner."""
    keeps = syntax in _HASH_IS_CODE
    code = _NOT_CODE.sub(lambda match: match["hash"] or "" if keeps else "", text)
    # A case of a shell ends with a bracket that nothing opens.
    pairs = _BRACKETS[1:] if syntax in {"bash", "other-shell"} else _BRACKETS
    alone = sum(abs(code.count(one) - code.count(other)) for one, other in pairs)
    return Balance(alone, code.count('"') % 2)
