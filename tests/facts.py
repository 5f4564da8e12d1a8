"""Whether the text and the data of an answer say the same: a checker that names what one lacks."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

# What JSON holds; a wrong guess about its shape fails the test that asks.
Data = Any

# How the text says what is true, or false where that is worth a word.
_FLAGS: Mapping[tuple[str, bool], str] = {
    ("created", True): "new -> ",
    ("deleted", True): "deleted",
    ("dry_run", True): "dry run",
    ("truncated", True): "truncated",
    ("final_newline", False): "no final newline",
    ("executable", True): "made a program",
    ("executable", False): "no program any more",
    ("new", False): "as before: ",
    ("required", True): "required",
    ("unchanged", True): "nothing to change",
    ("skipped", True): "was left out",
    ("seen", True): "you have seen it",
    ("total_is_least", True): "at least",
}
_NUMBER = re.compile(r"\d+")
# Arguments to send, which the text has as they are sent.
_CALLS = {"next", "cut"}
# Names, hashes and ids, and what the text quotes.
_NAMED = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b|`[^`\n]+`")


def unsaid(text: str, data: Data) -> list[str]:
    """Return what the data says and the text does not, and the other way round."""
    return [*_not_in_text(" ".join(text.split()), data, ""), *_not_in_data(text, data)]


def _not_in_text(text: str, data: Data, name: str) -> Iterator[str]:
    if name in _CALLS:
        if " ".join(json.dumps(data, ensure_ascii=False).split()) not in text:
            yield f"the call {data} is not in the text"
    elif name.startswith("lines") or name == "unreadable":
        if not _range_said(text, data):
            yield f"{name} {data} is not in the text"
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from _not_in_text(text, value, key)
    elif isinstance(data, list):
        for value in data:
            yield from _not_in_text(text, value, name)
    elif not _said(text, data, name):
        yield f"{name} {data!r} is not in the text"


def _said(text: str, value: Data, name: str) -> bool:
    if name == "ok" or (name == "outcome" and value == "not_applied"):
        return value or text.startswith(("refused ", "refused: nothing was changed"))
    if isinstance(value, bool):
        return _FLAGS[name, value] in text
    if name == "similarity":
        return f"{value:.0%} alike" in text
    if name == "total":
        return True  # what is shown, and how many more there are
    if isinstance(value, int):
        return str(value) in _NUMBER.findall(text)
    return all(" ".join(line.split()) in text for line in str(value).split("\n"))


def _range_said(text: str, lines: Data) -> bool:
    if isinstance(lines[0], list):
        return all(_range_said(text, each) for each in lines)
    first, last = lines
    spelt = [f"lines {first}-{last}", f" {first}-{last}", f":{first}:"]
    spelt += [f"line {first}"] if first == last else []
    spelt += [f"after line {last}", f"before line {first}"] if last < first else []
    spelt += [f"created, {last} line", "deleted"] if first == 1 else []
    return any(each in text for each in spelt)


def _not_in_data(text: str, data: Data) -> Iterator[str]:
    """Yield the numbers, names and advice of the text that the data lacks."""
    said = " ".join(" ".join(_leaves(data)).split())
    numbers = {*_NUMBER.findall(json.dumps(data, ensure_ascii=False)), "0"}
    numbers |= {f"{float(value) * 100:.0f}" for value in _named(data, "similarity")}
    numbers |= {str(int(total) - shown) for total, shown in _totals(data)}
    numbers |= {str(number) for hit in data.get("hits", []) for number in _around(hit)}
    for line in text.split("\n"):
        _, found, advice = line.partition("help: ")
        if found and " ".join(advice.split()) not in said:
            yield f"the data has no advice {advice!r}"
        for name in _NAMED.findall(line):
            if " ".join(name.strip("`").split()) not in said:
                yield f"the data does not name {name}"
        for number in _NUMBER.findall(re.sub(r"\b[0-9a-f-]*[a-f][0-9a-f]*\b", "", line)):
            if number not in numbers:
                yield f"the data has no number {number} of {line!r}"


def _leaves(data: Data) -> Iterator[str]:
    if isinstance(data, dict):
        for value in data.values():
            yield from _leaves(value)
    elif isinstance(data, list):
        for value in data:
            yield from _leaves(value)
    else:
        yield str(data)


def _named(data: Data, name: str) -> Iterator[Data]:
    """Yield every value of that name, at any depth."""
    if isinstance(data, dict):
        yield from (data[name] for _ in [0] if name in data)
        for value in data.values():
            yield from _named(value, name)
    elif isinstance(data, list):
        for value in data:
            yield from _named(value, name)


def _around(hit: Data) -> range:
    """Return the lines that are shown with a hit; the data has their texts in order."""
    before, after = (len(hit.get(side, [])) for side in ("before", "after"))
    return range(hit["line"] - before, hit["line"] + after + 1)


def _totals(data: Data) -> Iterator[tuple[int, int]]:
    if isinstance(data, dict) and "total" in data:
        yield data["total"], len(data["hits"] if "hits" in data else data["files"])


Check = Callable[[str, Data], list[str]]
