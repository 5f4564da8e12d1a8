"""keyhole edit: change a file at a place you name."""

from __future__ import annotations

from collections.abc import Mapping

from keyhole import arguments
from keyhole.arguments import bad_argument
from keyhole.edits.model.operations import (
    ACTIONS,
    CELL_TYPES,
    MATCHES,
    OCCURRENCES,
    PARTS,
    Edit,
)
from keyhole.engine.options import Options
from keyhole.engine.sweep.request import SWEEP_ARGUMENTS, Sweep
from keyhole.engine.sweep.spellings import BOUNDARIES
from keyhole.fastclasses import dataclass, replace
from keyhole.refusals import Refused
from keyhole.surfaces.cli.grammar import (
    DETAIL,
    OUTPUT,
    WORKSPACE,
    WRITING,
    Argument,
    Command,
    Flag,
    Given,
    apart,
    number,
    switch,
)
from keyhole.surfaces.cli.output import tell
from keyhole.surfaces.cli.session import (
    at_most_one_from_stdin,
    opened,
    options_of,
    path_in,
    raw,
    text_of,
)


@dataclass(frozen=True, slots=True)
class EditCall:
    """Edits with the options of their call."""

    edits: tuple[Edit, ...]
    options: Options
    path: str = ""
    detail: str | None = None
    healed: tuple[str, ...] = ()
    sweep: Sweep | None = None

    @staticmethod
    def of_flags(given: Given, fields: Mapping[str, object]) -> EditCall:
        """Return the one edit that flags describe."""
        edits = (Edit.of(fields),)
        said = {name: given.on(f"--{name.replace('_', '-')}") for name in SWEEP_ARGUMENTS}
        if not any(said.values()):
            return EditCall(edits, options_of(given))
        sweep = Sweep.of(_sweep_arguments(given), edits)
        detail = given.text("--detail") or "brief"
        return EditCall(edits, options_of(given), sweep=sweep, detail=detail)

    @staticmethod
    def read(given: Given) -> EditCall:
        """Return the request that a file or standard input holds; flags beside it come first."""
        # An edit by flags does without the tools.
        from keyhole.toolsets.argument_shapes import shape_of
        from keyhole.toolsets.healing import heal
        from keyhole.toolsets.native.tools import EDIT_TOOL

        request = parsed(raw(given.text("--request") or "-"))
        healing = heal(request, shape_of(EDIT_TOOL.takes), "edit", lambda: ())
        data = healing.arguments
        if healing.doubts:
            raise Refused(*(doubt.refusal for doubt in healing.doubts))
        arguments.check_names(data, EDIT_TOOL.arguments, "a request")
        path = arguments.text(data, "path")
        return EditCall(
            tuple(_below_here(given, edit) for edit in arguments.edits(data)),
            _options(given, data),
            path_in(given, given.found, path) if path else "",
            arguments.detail(data) or ("brief" if data.get("glob") else None),
            healing.healed,
            Sweep.of(data) if data.keys() & SWEEP_ARGUMENTS else None,
        )


def _sweep_arguments(given: Given) -> dict[str, object]:
    """Return what the flags say of a sweep, as the tool calls it."""
    count = given.text("--expected-count")
    return {
        "glob": given.text("--glob"),
        "except": [*given.all("--except")],
        "expected_count": None if count is None else int(count),
        "only": [*given.all("--only")],
        "without": [*given.all("--without")],
        "boundary": given.text("--boundary"),
        "cases": given.on("--cases"),
        "offset": given.number("--offset", 0),
        "detail": given.text("--detail"),
    }


def _below_here(given: Given, edit: Edit) -> Edit:
    return replace(edit, path=path_in(given, given.found, edit.path)) if edit.path else edit


def parsed(body: bytes) -> Mapping[str, object]:
    """Return the arguments that JSON holds, or refuse what is no object."""
    try:
        data = arguments.from_json(body.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Refused(
            bad_argument("request", f"the request is not UTF-8 at byte {error.start}")
        ) from None
    except ValueError as error:
        raise Refused(bad_argument("request", f"the request is not JSON: {error}")) from None
    if not isinstance(data, dict):
        raise Refused(bad_argument("request", "the request is not a JSON object"))
    return data


def _options(given: Given, data: Mapping[str, object]) -> Options:
    """Return the options of the request; a flag that is given wins over what the request says."""
    said = {
        "mode": arguments.text(data, "mode"),
        "on_conflict": arguments.text(data, "on_conflict"),
        "task": arguments.text(data, "task"),
        "reason": arguments.text(data, "reason"),
    }
    options = options_of(given)
    kept: dict[str, object] = {
        name: value
        for name, value in said.items()
        if value and not given.on(f"--{name.replace('_', '-')}")
    }
    kept["dry_run"] = options.dry_run or arguments.flag(data, "dry_run")
    kept["propose"] = options.propose or arguments.flag(data, "propose")
    kept["claim"] = options.claim or arguments.claim(data)
    options = replace(options, **kept)  # type: ignore[arg-type] # each was checked by its name
    if options.expected_hash:
        return options
    return replace(options, expected_hash=arguments.expected_hash(data))


WHERE = (
    Flag("--find", "the text to find, as it stands in the file", "TEXT"),
    Flag("--find-file", "the same from a file; - is standard input", "FILE", kind="file"),
    Flag("--until", "the place runs from --find to the end of this text", "TEXT"),
    Flag("--segment", "a segment by its address, as `outline` lists them", "ADDRESS"),
    Flag("--part", "one part of the segment, default whole", choices=PARTS),
    Flag(
        "--lines",
        "12, 12-20, 12-, -40- (the last 40), 0 (before the first line) or -1 (after the last)",
        "RANGE",
    ),
    Flag("--pattern", "a piece of code with holes, such as print($X)", "CODE"),
    switch("--regex", "--find is a regular expression (RE2); \\1 in --content is a group"),
    Flag("--occurrence", f"{', '.join(OCCURRENCES)} or a number; default unique", "WHICH"),
    Flag("--match", "tolerant (default) or exact", choices=MATCHES),
    Flag(
        "--accept", "the id of a candidate that a refusal offered, instead of all the above", "ID"
    ),
)
SWEEP = (
    Flag("--glob", "every place in the files of a glob; without the next three a preview", "GLOB"),
    number("--expected-count", "change them all, if there are so many places"),
    Flag("--only", "change the places with these ids; repeated", "ID", "name", many=True),
    Flag(
        "--without", "change all places but those with these ids; repeated", "ID", "name", many=True
    ),
    Flag("--except", "a glob of files to leave out; repeated", "GLOB", "name", many=True),
    Flag("--boundary", "--find is a whole word, or a whole identifier", choices=BOUNDARIES[1:]),
    switch("--cases", "--find is a name, changed in its other spellings too: OldName, OLD_NAME"),
    number("--offset", "how many places of a preview to leave out"),
)
WHAT = (
    Flag("--action", "what to do there, default replace", choices=ACTIONS),
    Flag("--content", "the new text", "TEXT"),
    Flag("--content-file", "the same from a file; - is standard input", "FILE", kind="file"),
    Flag("--indent", "auto (default), keep, or a number of columns", "HOW"),
    Flag("--to", "with action move: start, end, `before CELL`, `after CELL`, or a cell", "PLACE"),
    Flag("--cell-type", "what type of cell a notebook's cell is, or becomes", choices=CELL_TYPES),
    switch("--clear-outputs", "take the outputs of the notebook's cell away"),
)
REQUEST = Flag(
    "--request",
    "the arguments of the `edit` tool as JSON, instead of the flags above; - is standard input",
    "FILE",
    kind="file",
)


def run(given: Given) -> int:
    """Carry out one edit from flags, or the edits of a request."""
    request = _request(given)
    with opened(given) as engine:
        path = given.text("PATH")
        path = path_in(given, engine.root, path) if path else request.path
        if request.sweep:
            sweep = replace(request.sweep, path=path or ".")
            receipt = engine.refactoring.sweep(sweep, request.options)
            return tell(replace(receipt, healed=request.healed), given, request.detail)
        receipt = engine.edit(request.edits, request.options, path)
        receipt = replace(receipt, healed=request.healed)
    return tell(receipt, given, request.detail)


def _request(given: Given) -> EditCall:
    at_most_one_from_stdin(given, "--find-file", "--content-file")
    if not given.on("--request"):
        return EditCall.of_flags(given, _fields(given))
    apart(given, "--request", *(flag.name for flag in (*WHERE, *SWEEP, *WHAT)))
    return EditCall.read(given)


def _fields(given: Given) -> dict[str, object]:
    """Return the fields of the edit that the flags describe."""
    places = ("until", "segment", "part", "lines", "pattern", "occurrence", "match", "accept")
    fields: dict[str, object] = {
        name: given.text(f"--{name}") for name in (*places, "action", "to")
    }
    fields |= {"cell_type": given.text("--cell-type"), "clear_outputs": given.on("--clear-outputs")}
    fields |= {"find": text_of(given, "find"), "content": text_of(given, "content")}
    fields["regex"] = given.on("--regex")
    indent = given.text("--indent")
    fields["indent"] = int(indent) if indent and indent.isascii() and indent.isdecimal() else indent
    return fields


COMMAND = Command(
    "edit",
    "change a file at a place you name",
    run,
    about="""\
Quote the text to replace, or name a segment, or lines. The edit lands where it was meant or is
refused; a refusal says what is there, and often offers an id that finishes the edit with --accept.

PATH is relative to the current directory, or to the directory that --root names unless it starts
with ./ or ../""",
    example="""\
$ keyhole edit app.py --find 'retries = 3' --content 'retries = 5' --reason 'slow gateway'
$ keyhole edit app.py --segment Worker.process --content-file new.py
$ keyhole edit --request - <<< '{"path": "app.py", "edits": [{"lines": "3", "action": "delete"}]}'
""",
    arguments=(Argument("PATH", "the file", required=False),),
    groups={
        "where": WHERE,
        "every place of many files": SWEEP,
        "what": WHAT,
        "many edits at once": (REQUEST,),
        "how": WRITING,
        "workspace": WORKSPACE,
        "output": (*OUTPUT, DETAIL),
    },
)
