"""Guides: how each interface is best used, as a prompt and as instructions for a model."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from keyhole.fastclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guide:
    """The guidance of one interface: a prompt, and sentences that a host hands to its model."""

    name: str
    title: str
    about: str
    text: str
    instructions: str


_TEXT = """\
Edit documents with `TextReplace`, `TextPatch` and `TextInspect` like this.

1. `TextInspect` first: mode structure lists headings, code blocks and anchors, and gives the
   fileHash; mode search finds text and the heading above it; mode lines shows a few lines.
2. `TextReplace` is the tool for changes inside the text: a word, a sentence, a value. Quote
   oldText as it stands, with enough around it to stand once; occurrence picks one of several.
3. `TextPatch` adds and replaces parts of the document.
   - To add: target appendToSection puts new text at the end of a section, beforeHeading right
     before the next one.
   - To replace or delete a whole section or a code block: target heading or codeBlock.
   - Target lines is the last resort: numbers go stale with the first edit.
4. Give expectedHash the fileHash that the last answer gave, and pass each new one on to the
   next edit. An edit of a file that changed meanwhile is then refused instead of misplaced.
5. After an edit line numbers are others. Take them from the context that the answer shows, not
   from what you read before.
6. A refusal has changed nothing. It names similar headings or where the text stands: correct
   the target and send the edit again.
"""

_ARTICLE = """\
Change the article with `edit_article`; `write_file` is for new files and for rewriting one
from scratch.

1. `read_file` the article, and decide whether it needs a change at all. If it does not, say why
   and call nothing.
2. Each edit has old_string, the text as it stands; new_string, what takes its place; and reason,
   which ties the edit to what changed in the code.
3. old_string must stand once in the article. Copy it to the character, line breaks and blanks
   included, and take a neighbouring line or the heading along if it is short.
   - "## Options\\n\\nThe timeout is 30 seconds." stands once.
   - "The timeout" may stand anywhere.
4. Keep edits small, one change of meaning each; several of them go into one call. They happen
   one after the other, each on the result of the one before, and all of them or none.
5. A refusal has changed nothing: it says whether the text is missing or stands several times.
   Quote more, or quote what is there, and send all the edits again.
"""

_SURGICAL = """\
Edit files with `edit_file`, `patch_file` and `insert_at` like this.

1. Look first: `search_files` finds the place, `read_file` shows it, `list_files` what there is.
2. `edit_file` replaces old_content by new_content. Quote enough to stand once, or say which
   occurrence: 1, 2, -1 for the last, 0 for all. `insert_at` adds lines behind a line,
   `patch_file` carries out a diff. `write_file` is for new files.
3. Give every call of a task its task_id. Where another task edited, the call is refused with
   both edits: read the lines again, or say on_conflict skip, force, or ask to ask the user.
4. backup keeps the file as it was beside it, as NAME.bak.

Plan each task in one of these modes, and do no more in it than the mode says:

- research: read files to understand them; nothing is written.
- generate: make files that do not exist yet.
- modify: change files that exist, with edit_file where it can be done.
- execute: everything, commands of the host included.
- analyze: look, and report what was found, for reviews and audits; nothing is written.
"""

_SAFE_EDIT = """\
Edit files with `safe_edit_file`, after `query_file_schema` said what they are made of.

1. `query_file_schema` tells whether a template made the file, and names what can be edited:
   template blocks, Markdown sections, Python functions, methods and classes.
2. Give exactly one of the five ways in a call.
   - segment_edit, first choice: a part by its name. segment_type markdown_section with
     `## Introduction` or `Parent::Child`; python_function with `calculate_risk`; python_method
     with `Worker.process`; python_class with `Worker`; template_block with the block's name.
     new_content is the whole part, written at indentation 0.
   - search with replace: the same text in one place or in many.
   - line_edits, insert_lines: by numbers that an answer gave just now.
   - content: a new file, or all of a short one.
3. mode strict refuses what would break the file; verify_only writes nothing and shows the diff;
   interactive writes and warns.
4. When a call is refused, nothing was written.
   - The name fits nothing, or several parts: take one of those listed; `Parent::Child` tells
     parts of one name apart.
   - The file would not parse: the line is shown; correct new_content.
   - The file cannot be parsed as it stands: use search or line_edits to mend it first.
   - The indentation fits nothing: write new_content at column 0 and leave the strategy auto.
"""

GUIDES: Mapping[str, Guide] = {
    "text": Guide(
        "text-editing-guide",
        "How to edit documents with TextReplace and TextPatch",
        "Which of the three tools to use when, and how hashes go from edit to edit",
        _TEXT,
        "Change documents with `TextReplace` and `TextPatch` instead of writing them anew. "
        "`TextReplace` is for changes inside the text; `TextPatch` adds with appendToSection "
        "or beforeHeading, replaces with heading or codeBlock, and takes lines only as a last "
        "resort. "
        "Pass the fileHash of each answer on as expectedHash of the next edit, and take line "
        "numbers from the context it shows.",
    ),
    "article": Guide(
        "article-editing-guide",
        "How to change an article with edit_article",
        "What an edit needs, and when to make none",
        _ARTICLE,
        "Change the article with `edit_article`, and use `write_file` for new files only. "
        "Each edit quotes an old_string that stands once, to the character, and gives the "
        "reason for the change. "
        "If nothing needs to change, say why and call nothing.",
    ),
    "surgical": Guide(
        "surgical-editing-guide",
        "How to edit files with edit_file, and the modes of tasks",
        "Which tool to use when, what a task's mode allows, and what to do about a conflict",
        _SURGICAL,
        "Change files that exist with `edit_file`, `patch_file` or `insert_at`, and use "
        "`write_file` for new ones. "
        "Give the calls of a task its task_id, and answer a conflict with skip, force or ask. "
        "Tasks of mode research or analyze only read and report; generate makes new files, "
        "modify edits those there are, execute may do everything.",
    ),
    "safe-edit": Guide(
        "safe-edit-guide",
        "How to edit files with safe_edit_file",
        "An example for each kind of segment, and what to do about each refusal",
        _SAFE_EDIT,
        "Ask `query_file_schema` what a file is made of, then edit it with `safe_edit_file`. "
        "Name the part to change with segment_edit; search with replace is next, line numbers "
        "last. "
        "A refused call has written nothing and lists the names there are.",
    ),
}

_NATIVE = (
    "Change files with these tools instead of rewriting them or running `sed`: an edit lands "
    "where it was meant, or is refused. "
    "Name the segment (`outline` lists them) or quote the text to change; line numbers, exact "
    "whitespace and indentation are not needed. "
    "Give each edit a `reason`, and put edits that belong together into one call: all of them "
    "happen or none, and the answer shows the new lines. "
    'A refusal has changed nothing and says the next move: send {"accept": id} to take a '
    "candidate, or the corrected call that it brings as `try`. "
    '`undo` takes back any transaction, also an old one, or with session "this" all of this '
    "session."
)
_READING = (
    "These tools only read: `outline` lists the segments of a file, `search` finds text and its "
    "segment, `read` shows one."
)


def guides_of(sets: Collection[str]) -> list[Guide]:
    """Return the guides of these sets of tools."""
    return [guide for name, guide in GUIDES.items() if name in sets]


# What a host hands to its model about each set of tools, and about ours where they only read.
INSTRUCTIONS: Mapping[str, str] = {
    "native": _NATIVE,
    "reading": _READING,
    **{name: guide.instructions for name, guide in GUIDES.items()},
    "": "Edits land exactly where they were meant, or are refused.",
}
