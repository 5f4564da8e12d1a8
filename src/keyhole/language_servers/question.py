"""What a server is asked and answers: values that cross the line to the broker as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from keyhole.fastclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SymbolQuestion:
    """A symbol by the place of its name, and its new name; without one, its uses are asked for.

    Lines count from 0 and columns in UTF-16, as the protocol has them. `texts` are files with the
    name, each with its language, and are open while the server thinks; `known` are all files.
    With `after`, new texts of files, the question is what the server finds wrong in these and not
    in what there is.
    """

    language: str
    path: str
    line: int
    column: int
    to: str
    texts: Mapping[str, tuple[str, str]]
    known: tuple[str, ...]
    after: Mapping[str, str] = field(default_factory=dict)

    def as_data(self) -> dict[str, object]:
        """Return the question as JSON."""
        data = {name: getattr(self, name) for name in self.__slots__}
        return {**data, "known": list(self.known)}

    @staticmethod
    def of(data: Mapping[str, object]) -> SymbolQuestion:
        """Return the question of some JSON, or `ValueError`; its paths stay below the root."""
        texts, known, after = data["texts"], data["known"], data.get("after", {})
        if not (isinstance(texts, dict) and isinstance(known, list) and isinstance(after, dict)):
            raise ValueError("a question is none")  # noqa: TRY004 - what comes is data
        path = str(data["path"])
        for each in (path, *texts, *known, *after):
            _check_path(each)
        return SymbolQuestion(
            str(data["language"]),
            path,
            int(str(data["line"])),
            int(str(data["column"])),
            str(data["to"]),
            {name: (str(text[0]), str(text[1])) for name, text in texts.items()},
            tuple(known),
            {name: str(text) for name, text in after.items()},
        )


class ServerPlace(NamedTuple):
    """A place that a server names, and the text that it puts there; outside it is a full path."""

    path: str
    start: tuple[int, int]
    end: tuple[int, int]
    text: str

    @staticmethod
    def of(data: object) -> ServerPlace:
        """Return a place of some JSON, or `ValueError`."""
        if not isinstance(data, list | tuple):
            raise ValueError("a place is none")  # noqa: TRY004 - what comes is data
        path, (line, column), (last, end), text = data
        return ServerPlace(str(path), (int(line), int(column)), (int(last), int(end)), str(text))


class ServerFailed(Exception):  # noqa: N818 - it names what happened
    """A server failed; the message completes a sentence that begins with its name.

    One that `answered` is well and says no.
    """

    def __init__(self, message: str, *, answered: bool = False) -> None:
        super().__init__(message)
        self.answered = answered


def _check_path(path: object) -> None:
    if not isinstance(path, str) or not path or "\0" in path or path.startswith("/"):
        raise ValueError("a path is none")
    if ".." in path.split("/"):
        raise ValueError("a path leads out of the root")
