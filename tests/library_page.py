"""The page of the Python library, written from the docstrings: python -m tests.library_page."""

import inspect
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import cast

import keyhole
from keyhole.fastclasses import fields

_WIDTH = 90
_STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}
PAGE = Path(__file__).parents[1] / "docs" / "library.md"
# What people do with the library, step by step; a test runs it.
EXAMPLES = Path(__file__).with_name("library_examples.md").read_text(encoding="utf-8")
_HEAD = """\
# The Python library

`pip install` brings the package `keyhole`. What this page names is stable; everything else in
the package may change.

```python
{example}```

A call that cannot be carried out changes nothing: what writes returns a receipt whose `ok` is
false and whose `refusals` say why, what only reads raises `Refused`. [Refusals](refusals.md)
lists the codes. What is below the examples is made of the docstrings (`make manual`).
"""


def page() -> str:
    """Return the page: the README's example, further ones, then every public name."""
    readme = (PAGE.parents[1] / "README.md").read_text(encoding="utf-8")
    example = readme.split("```python\n")[1].split("```")[0]
    names = [name for name in keyhole.__all__ if not name.startswith("_")]
    entries = (_entry(name, getattr(keyhole, name)) for name in sorted(names, key=_rank))
    return "\n".join([_HEAD.format(example=example), EXAMPLES, *entries])


def _rank(name: str) -> tuple[int, str]:
    first = ("Workspace", "Edit", "Receipt", "Refusal", "Refused")
    return (first.index(name) if name in first else len(first), name)


def _entry(name: str, value: object) -> str:
    parts = [f"## `{name}`", _code(f"{name}{_signature(value)}"), _prose(value)]
    for member, found in vars(value).items():
        if not member.startswith("_") and inspect.getdoc(found):
            parts += list(_member(member, found))
    return "\n\n".join(parts) + "\n"


def _member(name: str, found: object) -> Iterator[str]:
    if isinstance(found, property | cached_property):
        yield f"### `{name}`"
    elif inspect.isroutine(found):
        yield f"### `{name}`"
        yield _code(f"{name}{_signature(getattr(found, '__func__', found))}")
    else:
        return
    yield _prose(found)


def _signature(value: object) -> str:
    if hasattr(value, "__value_fields__"):
        return _call(list(_fields(cast("type[object]", value))), "")
    try:
        signature = inspect.signature(cast("Callable[..., object]", value))
    except ValueError:
        return ""
    kept = [each for each in signature.parameters.values() if each.name not in {"self", "cls"}]
    routine = isinstance(value, FunctionType)
    return _call(list(_rows(kept)), f" -> {signature.return_annotation}" if routine else "")


def _call(rows: list[str], returned: str) -> str:
    line = f"({', '.join(rows)}){returned}"
    broken = "".join(f"    {row},\n" for row in rows)
    return line if len(line) < _WIDTH else f"(\n{broken}){returned}"


def _fields(value: type[object]) -> Iterator[str]:
    """Yield the fields of a value class, which has its constructor from them at its first use."""
    for each in fields(value):  # type: ignore[arg-type]  # the real ones, not those of dataclasses
        plain = isinstance(each.default, str | int | tuple | frozenset | None)
        made = " = ..." if getattr(each, "factory", None) else ""
        default = f" = {each.default!r}" if plain else made
        yield f"{each.name}: {value.__annotations__[each.name]}{default}"


def _rows(parameters: list[inspect.Parameter]) -> Iterator[str]:
    """Yield the parameters one by one, and the star before the first that only has a name."""
    named = False
    for each in parameters:
        if each.kind is each.KEYWORD_ONLY and not named:
            yield "*"
        named = named or each.kind in {each.VAR_POSITIONAL, each.KEYWORD_ONLY}
        star = _STARS.get(each.kind.name, "")
        kind = "" if each.annotation is each.empty else f": {each.annotation}"
        plain = type(each.default) is not object
        default = (
            "" if each.default is each.empty else f" = {each.default!r}" if plain else " = ..."
        )
        yield f"{star}{each.name}{kind}{default}"


def _code(text: str) -> str:
    return f"```python\n{text}\n```"


def _prose(value: object) -> str:
    lines = (inspect.getdoc(value) or "").splitlines()
    examples = [line for line in lines if line.startswith((">>>", "..."))]
    text = "\n".join(line for line in lines if line not in examples).strip()
    return f"{text}\n\n{_code(chr(10).join(examples))}" if examples else text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
