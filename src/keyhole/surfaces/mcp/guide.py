"""Prompts: which tool when, for a model that meets keyhole or one of its interfaces first."""

from __future__ import annotations

from collections.abc import Collection

from mcp import types

from keyhole.engine.reading import ReadRequest, Shape
from keyhole.surfaces.mcp.answers import clean
from keyhole.surfaces.mcp.workspaces import Workspaces
from keyhole.toolsets.guides import guides_of

NAME = "editing-guide"
TITLE = "How to edit files with keyhole"

GUIDE = """\
Edit files with keyhole like this.

1. Look first, and look little. `outline` names the parts of a file with their lines; `search`
   finds text and says in which segment it stands; `read` shows one segment or some lines.
   Read a whole file only if it is short.
2. Change the smallest place that says what you mean.
   - A few lines: `edit` with `find` (quote them as they stand; whitespace and line numbers
     need not be exact) and `content`.
   - A long passage: quote its beginning in `find` and its end in `until`; do not quote the
     middle.
   - A whole function, class, section or key: `edit` with `segment`; `part` body, signature or
     doc for a piece of it; action before, after, prepend or append to add beside it or inside
     it.
   - The same change in many places: `find` with occurrence all, `regex`, or `pattern` for
     code; with `glob` in many files: look at the places, then send their number back.
   - A symbol's name: `rename`.
   - You already have a diff: `patch`. A new file: `write`, or `scaffold` if there
     is a template for it. Do not rewrite a file to change a part of it.
3. Put edits that belong together into one call: all of them happen or none. Each is located
   in the text as it was before the call. Give each a `reason`.
4. Believe the receipt. It shows the new lines with their numbers and the new hash, so there
   is no need to read again. `matched` says how the place was found; `unchanged` and
   `already-applied` mean nothing was written.
5. A refusal has changed nothing. It says what is there and the next move: send {"accept": id}
   to take a candidate it offers; add a neighbouring line or name a segment if the place was
   ambiguous; read the region it shows if the file moved on. Do not send the same call again.
6. Not sure? `dry_run` with detail full shows the diff and writes nothing. Regret? `undo`
   takes back any transaction, also an old one; `history` lists them.
"""


def listed(sets: Collection[str] = ("native",)) -> types.ListPromptsResult:
    """Return the list of the guides to these sets of tools."""
    others = [
        types.Prompt(name=each.name, title=each.title, description=each.about)
        for each in guides_of(sets)
    ]
    return types.ListPromptsResult(prompts=[*([_own()] if "native" in sets else []), *others])


def other(sets: Collection[str], name: str) -> types.GetPromptResult | None:
    """Return the guide of another interface that is on offer, by its name."""
    for each in guides_of(sets):
        if each.name == name:
            return _message(each.title, each.text)
    return None


def _own() -> types.Prompt:
    about = "Which tool to use when, and what to do with a refusal"
    places = [
        types.PromptArgument(name="path", description="a file to edit; its outline comes along"),
        types.PromptArgument(name="segment", description="the part of it, which comes along"),
    ]
    return types.Prompt(name=NAME, title=TITLE, description=about, arguments=places)


def guide(workspaces: Workspaces, path: str = "", segment: str = "") -> types.GetPromptResult:
    """Return the guide as a message, with the place it is asked for, or refuse if there is none."""
    return _message(TITLE, clean(GUIDE + _place(workspaces, path, segment)))


def _message(title: str, text: str) -> types.GetPromptResult:
    content = types.TextContent(type="text", text=text)
    return types.GetPromptResult(
        description=title, messages=[types.PromptMessage(role="user", content=content)]
    )


def _place(workspaces: Workspaces, path: str, segment: str) -> str:
    if not path:
        return ""

    engine = workspaces.at(path)
    if segment:
        return f"\nThe place to edit:\n\n{engine.read(path, ReadRequest(segment)).as_text()}\n"
    return f"\nThe file to edit:\n\n{engine.outline(path, Shape()).as_text()}\n"
