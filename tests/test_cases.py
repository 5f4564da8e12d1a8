from pathlib import Path

import pytest

from keyhole.answers.receipt import Receipt
from keyhole.edits.checks.validate import validate
from keyhole.edits.model.operations import Edit
from keyhole.edits.model.plan import Plan, Snapshot
from keyhole.edits.resolve import Unresolved, resolve
from keyhole.refusals import Refused
from tests.case_files import Block, Case, UnreadableError, cases_of, parse

FOLDERS = [Path(__file__).parent / "cases" / name for name in ("matching", "edits")]
CASES = [case for folder in FOLDERS for case in cases_of(folder)]
# Rows 33 to 38 of the list of dangers are of patches.
ROWS = [*range(1, 33), *range(39, 47)]


def carried_out(case: Case) -> Plan | Refused:
    before = case.documents("before")
    snapshot = Snapshot(
        {path: found[0] for path, found in before.items()},
        {path: tuple(found) for path, found in case.documents("shown").items()},
    )
    first = next(iter(before))
    try:
        plan = resolve([Edit.of({"path": first, **edit}) for edit in case.edits], snapshot)
        return validate(plan, "strict", lambda _: True)
    except Refused as refused:
        return refused


def check_done(case: Case, done: Plan | Refused) -> None:
    assert isinstance(done, Plan), Receipt.refused(done.refusals).as_text()
    files = {file.path: file for file in done.files}
    assert {block.path for block in case.of("after")} == files.keys()
    for block in case.of("after"):
        file = files[block.path]
        assert file.after is not None
        assert file.after.to_bytes() == block.to_bytes()
        assert ",".join(edit.matched for edit in file.edits) == block.words["matched"]
    edits = [edit for file in done.files for edit in file.edits]
    assert [note for edit in edits for note in edit.notes] == case.notes
    assert [warning for file in done.files for warning in file.warnings] == case.warnings
    outcome = "applied" if not done.is_empty else "unchanged"
    if all(edit.already_applied for edit in edits):
        outcome = "already-applied"
    assert outcome == case.of("after")[0].words.get("outcome", "applied")


def said(case: Case, refused: Refused) -> str:
    """Return the receipt of a refusal, with names for what depends on the bytes alone."""
    text = Receipt.refused(refused.refusals).as_text()
    for found in case.documents("before").values():
        text = text.replace(found[0].hash, "HASH")
    for number, offer in enumerate(getattr(refused, "offered", ()), 1):
        text = text.replace(offer.accept, f"ID-{number}")
    return text


def check_refused(case: Case, refused: Plan | Refused, block: Block) -> None:
    assert isinstance(refused, Refused), refused
    assert said(case, refused) == block.text
    for accepted in case.of("accepted"):
        assert isinstance(refused, Unresolved)
        offer = refused.offered[0]
        snapshot = Snapshot({p: found[0] for p, found in case.documents("before").items()})
        edit = Edit(path=offer.path, accept=offer.accept)
        (file,) = resolve([edit], snapshot, {offer.accept: offer}).files
        assert file.after is not None
        assert file.after.to_bytes() == accepted.to_bytes()


def check_case(case: Case) -> None:
    """Fail unless a case comes out as its file says."""
    done = carried_out(case)
    if refused := case.of("refused"):
        check_refused(case, done, refused[0])
    else:
        check_done(case, done)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.file} {case.title}")
def test_the_case_comes_out_as_written(case: Case) -> None:
    check_case(case)


def test_every_row_has_its_file_and_every_case_is_run() -> None:
    rows = sorted({int(case.file.split("/")[1].split("-")[0]) for case in CASES})

    assert rows == ROWS
    assert len(CASES) == 211


# The runner sees what is wrong.

GOOD = """# 1. One

## A case

It shows something.

```before
old
```

```edit
{"find": "old", "content": "new"}
```

```after matched=exact
new
```
"""


def only(text: str) -> Case:
    (case,) = parse("matching/01-one.md", text)
    return case


def test_a_sound_case_passes() -> None:
    case = only(GOOD)

    check_done(case, carried_out(case))


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("```after matched=exact\nnew", "```after matched=exact\nwrong"),
        ("```after matched=exact", "```after matched=indentation"),
        ("```after matched=exact", "```after matched=exact no-final-newline"),
        ("```after matched=exact", "```after matched=exact outcome=unchanged"),
        ("```after", "```notes\na note\n```\n\n```after"),
        ("```after", "```after path=other.txt matched=exact\nnew\n```\n\n```after"),
        ('{"find": "old", "content": "new"}', '{"find": "gone", "content": "new"}'),
    ],
)
def test_a_case_that_comes_out_otherwise_fails(good: str, bad: str) -> None:
    case = only(GOOD.replace(good, bad, 1))

    with pytest.raises(AssertionError):
        check_done(case, carried_out(case))


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("```before", "```bevore"),
        ("```before", "```before eol=lf loud"),
        ("```edit", "```edit eol=lf"),
        ("# 1. One", "# 2. One"),
        ("It shows something.\n", ""),
        ("## A case", "no case"),
        ("```after matched=exact\nnew\n```\n", ""),
        ("```after matched=exact\nnew\n```\n", "```after matched=exact\nnew\n"),
        ("```edit", "```refused\nno\n```\n\n```edit"),
    ],
)
def test_a_file_that_keeps_to_no_form_is_unreadable(good: str, bad: str) -> None:
    with pytest.raises(UnreadableError):
        only(GOOD.replace(good, bad, 1))


def test_what_cannot_be_seen_is_spelled_out() -> None:
    text = "→x·␍\n⟨U+2028⟩⟨ff⟩"
    block = Block(
        "before", {"visible": "", "no-final-newline": "", "bom": ""}, (*text.split("\n"),)
    )

    assert block.to_bytes() == b"\xef\xbb\xbf\tx \r\n\xe2\x80\xa8\xff"
