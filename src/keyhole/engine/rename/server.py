"""The places of a symbol as a language server names them, each looked at before it counts.

Files that have the name are open in the server while it thinks, so that it sees them as they stand
now. An answer that fits them is taken whole or not at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial

from keyhole.answers.sweep import counted
from keyhole.engine.rename.found import NewFault, NewFaults, SymbolPlaces, documents_with_name
from keyhole.engine.rename.mentions import comments_of, quoted
from keyhole.engine.rename.scopes import names_of_others
from keyhole.engine.rename.symbol import Symbol
from keyhole.engine.sweep.spellings import stands_alone
from keyhole.fastclasses import dataclass, replace
from keyhole.language_servers.desk import LanguageServers
from keyhole.language_servers.positions import ProtocolLines
from keyhole.language_servers.question import ServerPlace, SymbolQuestion
from keyhole.language_servers.table import FoundServer
from keyhole.phrases import FileName, say
from keyhole.refusals import Refusal, Refused
from keyhole.segments.languages.table import language_of
from keyhole.segments.outline import Segment
from keyhole.segments.registry import outline
from keyhole.text.document import Document, masked
from keyhole.workspace.tree import Tree

# Files that are open at once, and characters of them; the server finds others by itself.
_MOST_OPEN, _MOST_TEXT = 300, 16_000_000
_MOST_DOUBTS = 20
_ASKS = re.compile(r"(?P<quote>[\"'`])\s+in\b")
_WITH_MEMBERS = frozenset({"typescript", "tsx", "javascript"})


def server_places(
    tree: Tree, symbol: Symbol, to: str, servers: LanguageServers, found: FoundServer
) -> SymbolPlaces:
    """Return the places of a symbol; `to` is its new name, or its own to look for it."""
    documents, left_out = documents_with_name(tree, symbol)
    languages = found.server.languages
    texts = dict(_opened(documents, symbol, languages))
    line, column = ProtocolLines(symbol.document.text).position(symbol.start)
    known = tuple(path for path in tree.walk(".") if _is_plain(path))
    new = "" if to == symbol.name else to
    said = servers.ask(
        SymbolQuestion(symbol.language, symbol.path, line, column, new, texts, known)
    )
    name = found.server.name
    if "untrusted" in said:
        raise Refused(untrusted(found, str(said["untrusted"])))
    if "refused" in said:
        raise Refused(_says_no(name, symbol, str(said["refused"])))
    if "failed" in said:
        raise Refused(_failed(name, symbol, str(said["failed"]), found.server.install))
    places = said["places"]
    assert isinstance(places, list), "BUG: the broker is ours"
    answer = _ServerAnswer(tree, symbol, new, name, documents, texts.keys())
    checked = answer.checked(map(ServerPlace.of, places), left_out)
    if not (new and found.server.faults):
        return checked
    asked = SymbolQuestion(symbol.language, symbol.path, line, column, new, texts, known)
    return replace(checked, new_faults=partial(_new_faults, asked, servers, found))


def _new_faults(
    question: SymbolQuestion,
    servers: LanguageServers,
    found: FoundServer,
    documents: Mapping[str, Document],
    after: Mapping[str, str],
) -> NewFaults:
    """Return what a server finds wrong in new texts of files and not in those that there are."""
    languages = {path: language_of(path, documents[path]) for path in after}
    changing = {
        path: (language, masked(documents[path].text))
        for path, language in languages.items()
        if language in found.server.languages and _is_plain(path)
    }
    new = {path: masked(after[path]) for path in changing}
    texts = {**question.texts, **changing}
    said = servers.ask(replace(question, texts=texts, after=new))
    name = found.server.name
    if "refused" in said:
        return NewFaults(note=f"{name} was not asked for errors that are new; it {said['refused']}")
    if "places" not in said:
        raise Refused(_not_checked(name, question.path, *map(str, said.values())))
    faults = said["places"]
    assert isinstance(faults, list), "BUG: the broker is ours"
    places = map(ServerPlace.of, faults)
    unknown = int(str(said.get("unknown", 0)))
    note = f"{name} had no time to look for new errors in {counted(unknown, 'file')} of the project"
    new_ones = tuple(NewFault(each.path, each.start[0] + 1, each.text) for each in places)
    return NewFaults(new_ones, note if unknown else "")


@dataclass(frozen=True, slots=True)
class _ServerAnswer:
    """What a server was asked about, and the files that its answer is held against."""

    tree: Tree
    symbol: Symbol
    new: str
    name: str
    documents: dict[str, Document]
    opened: Iterable[str]

    def checked(self, places: Iterable[ServerPlace], left_out: Counter[str]) -> SymbolPlaces:
        """Return the places if all of them are the name, or refuse."""
        offsets: dict[str, set[int]] = {}
        written: dict[tuple[str, int], str] = {}
        doubted: list[str] = []
        by_file: dict[str, list[ServerPlace]] = {}
        for place in places:
            by_file.setdefault(place.path, []).append(place)
        for path, found in sorted(by_file.items()):
            document = self._document(path)
            if path not in self.documents and list(self._tokens(path, document, found)):
                left_out["ignored by .gitignore"] += 1
                continue
            comments = comments_of(path, document)
            others = self._names_of_others(path, document)
            for start, text in self._tokens(path, document, found):
                if start in others:
                    doubted.append(f"{path}:{document.line_at(start)}")
                elif not any(low <= start < high for low, high in comments):
                    offsets.setdefault(path, set()).add(start)
                    if written.setdefault((path, start), text) != text:
                        raise self._nonsense(path, document, start)
        if self.symbol.start not in offsets.get(self.symbol.path, ()):
            raise Refused(_failed(self.name, self.symbol, "does not find the definition"))
        kept = {path: frozenset(each) for path, each in offsets.items()}
        self._must_be_one_member(kept)
        doubts = tuple(self._doubts(kept, doubted)) if self.new else ()
        return SymbolPlaces(
            self.documents,
            kept,
            self.name,
            others=doubts,
            own=tuple(doubted),
            left_out=left_out,
            written=written,
        )

    def _names_of_others(self, path: str, document: Document) -> frozenset[int]:
        """Return where a name is none of this symbol, as the file itself tells."""
        if self.symbol.language != "python" or document.stored:
            return frozenset()
        is_member = self.symbol.is_member
        if "." in self.symbol.address and not is_member:
            return frozenset()
        found = names_of_others(document, self.symbol.name, is_member=is_member)
        return found - {self.symbol.start} if path == self.symbol.path else found

    def _must_be_one_member(self, offsets: Mapping[str, frozenset[int]]) -> None:
        """Refuse a member of C++ that is declared in one file and defined in one that is left.

        A server that lacks the flags of the sources reads a header as C, and renames that alone.
        """
        own = outline(self.symbol.path, self.symbol.document).by_address.get(self.symbol.address)
        if self.symbol.language not in {"c", "cpp"} or own is None:
            return
        known = {path: outline(path, self.documents[path]).by_address for path in self.opened}
        found = [(path, [*_of_path(each, own.path)]) for path, each in known.items()]
        classes = [
            each for segments in known.values() for each in _of_path(segments, own.path[:-1])
        ]
        is_member = [each.kind in {"class", "struct"} for each in classes] == [True]
        if not is_member or any(len(each) > 1 for _, each in found):
            return
        for path, [segment] in ((path, each) for path, each in found if each):
            if not any(segment.span[0] <= at < segment.span[1] for at in offsets.get(path, ())):
                line = self.documents[path].line_at(segment.span[0])
                raise Refused(_two_members(self.name, self.symbol, FileName(path), line))

    def _document(self, path: str) -> Document:
        """Return a file that the server names; one outside of the workspace is refused."""
        if path.startswith("/"):
            raise Refused(_outside(self.name, path))
        return self.documents.get(path) or self.tree.read(path)

    def _tokens(
        self, path: str, document: Document, places: Iterable[ServerPlace]
    ) -> Iterator[tuple[int, str]]:
        """Yield where each place has the name, and what is written there."""
        lines, name = ProtocolLines(document.text), self.symbol.name
        for place in places:
            start, end = lines.offset(*place.start), lines.offset(*place.end)
            if start is None or end is None:
                raise self._nonsense(path, document, len(document.text))
            token = _token(document.text, start, end, name, path)
            if token is None:
                if not self.new:  # another name of the same symbol
                    continue
                raise self._nonsense(path, document, start)
            text = document.text[token:start] + place.text + document.text[end : token + len(name)]
            if self.new and text not in _forms(name, self.new):
                raise self._nonsense(path, document, start)
            yield token, text

    def _nonsense(self, path: str, document: Document, start: int) -> Refused:
        line = document.line_at(min(start, len(document.text)))
        if path in self.opened:
            what = f"puts something else than `{self.new}` for `{self.symbol.name}`"
            return Refused(_failed(self.name, self.symbol, f"{what}, at {path}:{line}"))
        headline = say(
            "line {} of {} is another one than {} has seen", line, FileName(path), self.name
        )
        help_line = "the file may have just changed: send the same request again"
        return Refused(Refusal("stale", headline, help=help_line, path=path))

    def _is_key(self, path: str, start: int) -> bool:
        """Tell whether a quoted name asks an object whether it has such a member: `"load" in x`."""
        language, text = language_of(path, self.documents[path]), self.documents[path].text
        quote = text[start - 1 : start]
        behind = _ASKS.match(text, start + len(self.symbol.name))
        return language in _WITH_MEMBERS and behind is not None and behind["quote"] == quote

    def _doubts(
        self, offsets: Mapping[str, frozenset[int]], doubted: Collection[str]
    ) -> Iterator[str]:
        """Yield the lines of code that have the name and that the server says are another's."""
        count = 0
        for path in self.opened:
            document = self.documents[path]
            left = [
                start
                for start in _whole_names(document.text, self.symbol.name, path)
                if start not in offsets.get(path, ())
            ]
            spans = quoted(path, document) if left else []
            for start in left:
                place = f"{path}:{document.line_at(start)}"
                is_quoted = any(low <= start < high for low, high in spans)
                if place not in doubted and not (is_quoted and not self._is_key(path, start)):
                    yield place
                    count += 1
            if count > _MOST_DOUBTS:
                return


def _of_path(segments: Mapping[str, Segment], path: tuple[str, ...]) -> Iterator[Segment]:
    return (each for each in segments.values() if path and each.path == path)


def _opened(
    documents: Mapping[str, Document], symbol: Symbol, languages: Mapping[str, str]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the files that the server is shown, that of the symbol first."""
    left = _MOST_TEXT
    for number, (path, document) in enumerate(documents.items()):
        language = symbol.language if path == symbol.path else language_of(path, document)
        left -= len(document.text)
        if number >= _MOST_OPEN or (left < 0 and number):
            return
        if language in languages and not document.stored and _is_plain(path):
            yield path, (language, masked(document.text))


def _is_plain(path: str) -> bool:
    """Tell whether a path can be named in a message."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _token(text: str, start: int, end: int, name: str, path: str) -> int | None:
    """Return where the name stands that an edit changes, all of it or a part."""
    for low in range(max(end - len(name), 0), start + 1):
        is_name = text.startswith(name, low)
        if is_name and stands_alone(text, low, low + len(name), "identifier", path):
            return low
    return None


def _whole_names(text: str, name: str, path: str) -> Iterator[int]:
    at = text.find(name)
    while at >= 0:
        if stands_alone(text, at, at + len(name), "identifier", path):
            yield at
        at = text.find(name, at + len(name))


def _forms(old: str, new: str) -> frozenset[str]:
    """Return what may stand for a name: a new one, and where both are needed the two of them."""
    pairs = ((old, new), (new, old))
    return frozenset({new, *(f"{a}{mark}{b}" for a, b in pairs for mark in (": ", " as "))})


def untrusted(found: FoundServer, objection: str) -> Refusal:
    """Return the refusal of a server that could run code of a workspace nobody trusts."""
    return Refusal(
        "untrusted",
        f"{found.server.name} can run code of the workspace, so it was not asked: {objection}",
        help=say("a person can allow it with `keyhole trust`; {edit:tool} with {glob} needs none"),
    )


def _failed(name: str, symbol: Symbol, what: str, install: str = "") -> Refusal:
    again = f"send it again, install it anew (`{install}`)" if install else "send it again"
    return Refusal(
        "no-language-server",
        f"{name} {what}",
        help=say(
            "nothing was changed: {}, or change `{}` by {edit:tool} with {glob}",
            again,
            symbol.name,
        ),
        path=symbol.path,
    )


def _not_checked(name: str, path: str, what: str) -> Refusal:
    """Return the refusal of a rename whose server does not say what it finds wrong afterwards."""
    return Refusal(
        "no-language-server",
        f"{name} found the places and not what is wrong once they are renamed: it {what}",
        help=say("nothing was changed: send it again; {mode:bare} interactive does not ask this"),
        path=path,
    )


def _two_members(name: str, symbol: Symbol, path: FileName, line: int) -> Refusal:
    said = partial(say, "{} takes `{}` of {} and that of {}, line {}, for two")
    return Refusal(
        "no-language-server",
        said(name, symbol.name, FileName(symbol.path), path, line),
        help=say(
            "give {} the flags of the sources, as compile_commands.json; or change `{}` by "
            "{edit:tool} with {glob}",
            name,
            symbol.name,
        ),
        path=symbol.path,
    )


def _says_no(name: str, symbol: Symbol, what: str) -> Refusal:
    headline = f"{name} does not rename `{symbol.name}`; it {what}"
    help_line = "give another name, or another symbol"
    return Refusal("bad-request", headline, help=help_line, path=symbol.path, data={"field": "to"})


def _outside(name: str, path: str) -> Refusal:
    return Refusal(
        "path-denied",
        say("{} would change {}, which lies outside of the workspace", name, FileName(path)),
        help="nothing was changed; rename it where it is defined",
    )
