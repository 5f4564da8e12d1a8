"""Laws of names, in every language: a name that is not there edits nothing."""

import random
import re
from collections.abc import Callable

from hypothesis import assume, given
from hypothesis import strategies as st

from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.segments.outline import Outline, Segment
from keyhole.segments.registry import outline
from keyhole.text.document import Document
from tests.laws.test_segment_edits import samples

GUIDE = """\
---
title: x
---
# Guide

## Set *up* the `tool`

```sh
make
```

## get_data

### Options

- one

## __init__

## Usage
"""
PYTHON = """\
LIMIT = 3


class Worker:
    name = ""

    def _process(self):
        pass

    def __enter__(self):
        pass

    def get_data(self):
        pass


class worker:
    def run(self):
        pass


def Process():
    pass
"""
SAMPLES = [*samples(), ("guide.md", GUIDE), ("worker.py", PYTHON)]
NOT_THERE = {"unknown-segment", "unparsable"}
SETTINGS = frozenset({"json", "yaml", "toml", "hcl", "css", "html"})


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _moved(name: str) -> str:
    return "Elsewhere." + name.rpartition(".")[2]


# Each makes another name of one, the way callers who remember a name do.
DAMAGES: dict[str, Callable[[str], str]] = {
    "upper": str.upper,
    "lower": str.lower,
    "swapped": str.swapcase,
    "capital": lambda name: name[:1].swapcase() + name[1:],
    "snake": _snake,
    "joined": lambda name: name.replace("_", ""),
    "dashed": lambda name: name.replace("_", "-"),
    "undashed": lambda name: name.replace("-", "_"),
    "bare": lambda name: re.sub(r"(?<![^.:])_+|_+(?![^.:])", "", name),
    "private": lambda name: re.sub(r"([^.:]+)$", r"_\1", name),
    "dunder": lambda name: re.sub(r"([^.:]+)$", r"__\1__", name),
    "trailing": lambda name: f"{name}_",
    "plural": lambda name: f"{name}s",
    "singular": lambda name: re.sub(r"s$", "", name),
    "prefixed": lambda name: re.sub(r"([^.:]+)$", r"get_\1", name),
    "suffixed": lambda name: f"{name}2",
    "cut": lambda name: name[:-1],
    "doubled": lambda name: name + name[-1:],
    "moved": _moved,
    "second": lambda name: f"{name}#7",
    "elsewhere": lambda name: f"{name}@100000",
}
# In settings and selectors every sign is part of a name.
SIGNS: dict[str, Callable[[str], str]] = {
    "hidden": lambda name: re.sub(r"([^.]+)$", r".\1", name),
    "dollar": lambda name: f"${name}",
    "call": lambda name: f"{name} (x)",
    "typed": lambda name: f"type {name}",
}


def spellings(found: Outline) -> frozenset[str]:
    """Every way to write the names of a file with the names that it has."""
    paths = [segment.path for segment in found.segments]
    ends = {found.join.join(path[at:]) for path in paths for at in range(len(path))}
    return frozenset(ends | set(found.by_address))


def deleted(path: str, text: str, name: str, match: str = "tolerant") -> Plan | Unresolved:
    edit = Edit(path=path, segment=name, action="delete", match=match)
    try:
        return resolve([edit], Snapshot({path: Document(text)}))
    except Unresolved as unresolved:
        return unresolved


def codes(answer: Unresolved) -> set[str]:
    return {refusal.code for refusal in answer.refusals}


def shown(title: str) -> str:
    """A heading as a reader sees it, as far as the samples go."""
    strong = re.sub(r"__(?=\S)(\S*\s.*)__$", r"\1", title)
    return re.sub(r"(?<!\w)[*`]+|[*`]+(?!\w)", "", strong).lower()


@st.composite
def damaged(draw: st.DrawFn) -> tuple[str, str, Segment, str]:
    """Draw a file, a segment of it, and a name that is nearly the segment's and nobody's."""
    path, text = draw(st.sampled_from(SAMPLES))
    found = outline(path, Document(text))
    assume(found.segments)
    segment = draw(st.sampled_from(found.segments))
    forms = {**DAMAGES, **SIGNS} if found.language in SETTINGS else DAMAGES
    damage = draw(st.sampled_from(sorted(forms)))
    name = draw(st.sampled_from((segment.address, segment.name)))
    other = forms[damage](name)
    assume(other.strip() and other not in spellings(found))
    return path, text, segment, other


@given(damaged())
def test_a_name_that_is_not_there_edits_nothing(drawn: tuple[str, str, Segment, str]) -> None:
    path, text, _, name = drawn
    found = outline(path, Document(text))
    headings = {shown(one): one for one in spellings(found)}

    answer = deleted(path, text, name)

    if isinstance(answer, Unresolved):
        assert codes(answer) <= NOT_THERE
        return
    (edit,) = answer.files[0].edits
    assert found.language == "markdown"
    assert edit.matched == "heading"
    assert shown(name) in headings


@given(damaged())
def test_nor_does_it_to_the_character(drawn: tuple[str, str, Segment, str]) -> None:
    path, text, _, name = drawn

    answer = deleted(path, text, name, "exact")

    assert isinstance(answer, Unresolved)
    assert codes(answer) <= NOT_THERE


@given(damaged())
def test_what_is_offered_instead_is_the_edit_of_that_segment(
    drawn: tuple[str, str, Segment, str],
) -> None:
    path, text, _, name = drawn
    refused = deleted(path, text, name, "exact")
    assert isinstance(refused, Unresolved)
    offers = {each.accept: each for each in refused.offered}

    for candidate in refused.refusals[0].candidates:
        meant = deleted(path, text, candidate.segment)
        if isinstance(meant, Unresolved):
            assert not candidate.accept
            continue
        accepted = resolve(
            [Edit(path=path, accept=candidate.accept)], Snapshot({path: Document(text)}), offers
        )
        assert accepted.files[0].after == meant.files[0].after


@given(st.sampled_from(SAMPLES), st.randoms(use_true_random=False))
def test_a_name_as_it_stands_finds_its_own_segment(
    sample: tuple[str, str], dice: random.Random
) -> None:
    path, text = sample
    found = outline(path, Document(text))
    assume(found.segments)
    segment = dice.choice(found.segments)

    answer = deleted(path, text, segment.address)

    if isinstance(answer, Unresolved):
        assert not codes(answer) & NOT_THERE
        return
    (edit,) = answer.files[0].edits
    assert (edit.segment, edit.matched) == (segment.address, "exact")


def test_the_laws_have_names_in_every_language() -> None:
    languages = {outline(path, Document(text)).language for path, text in SAMPLES}

    assert len(languages) >= 27
