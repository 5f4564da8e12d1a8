"""Lean answers: the data without what is empty, false or usual, for models that read the data.

A receipt with every field, and as a model reads it:

    {"ok": true, "transaction": "1-3f2a", "dry_run": false, "files": [{"path": "a.py",
     "hash_before": "…", "hash_after": "…", "created": false, "edits": [{"index": 0, …}]}]}
    {"ok": true, "outcome": "applied", "transaction": "1-3f2a", "files": [{"path": "a.py",
     "hash_after": "…", "edits": [{"lines_after": [2, 2], "text": "2| b = 2"}]}]}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from keyhole.answers.file_receipt import FileReceipt, file_text
from keyhole.answers.history import History
from keyhole.answers.reading import Outlined, OutlinedTree, SegmentRow
from keyhole.answers.receipt import MOST_TAKEN_BACK, Answer, Receipt, TakenBack
from keyhole.answers.template import TemplateList
from keyhole.edits.model.plan import LocatedEdit
from keyhole.fastclasses import replace
from keyhole.phrases import NATIVE, Words
from keyhole.refusals import Refusal

Data = dict[str, object]
R = TypeVar("R")

# Bytes of the files of an undo, and of the names of those that it took back.
_MOST_FILES, _MOST_NAMES = 5_200, 1_200

# What a refusal says beside its fields; the rest repeats its message for programs.
_REFUSED = ("task", "actor", "transaction", "schema", "validation", "diff", "try", "healed")
_TEMPLATE = ("id", "version", "warnings")
# What only programs ask of the past: with `detail: "full"` it is there.
_NOT_IN_HISTORY = {"hash_before", "hash_after", "base"}
# What is said in any case: an answer cannot do without, or it is only there where it is unusual.
_ALWAYS = {"hits", "transactions", "text", "final_newline", "executable", "new"}
_USUAL: Mapping[str, object] = {"matched": "exact", "new": True, "similarity": 0.0}
# Arguments of another call, which mean something whatever they are.
_CALLS = {"next", "cut"}
_EMPTY: tuple[object, ...] = (None, "", [], {})
_PLAIN = {str, int, bool, float, type(None)}


def lean(answer: Answer, words: Words = NATIVE) -> Data:
    """Return the data of an answer that a model need know."""
    match answer:
        case Receipt():
            return _receipt(answer, words)
        case Outlined():
            return _outlined(answer)
        case OutlinedTree():
            return {**answer.as_data(), "files": [_outlined(file) for file in answer.files]}
        case History():
            return _filled(answer.as_data(), _NOT_IN_HISTORY)
        case TemplateList(templates) if len(templates) > 1:
            rows = ({"template": each.id, "purpose": each.purpose} for each in templates)
            return {"ok": True, "templates": [_filled(row) for row in rows]}
    return _filled(answer.as_data())


def lean_text(answer: Answer) -> str:
    """Return the text of an answer with all that its lean data says."""
    match answer:
        case Receipt() | History() | TemplateList() | Outlined() | OutlinedTree():
            return answer.as_text("lean")
    return answer.as_text()


def _filled(data: Mapping[str, object], left_out: Collection[str] = ()) -> Data:
    """Return what is neither empty nor false nor usual, at every depth."""
    inner = {
        name: value if type(value) in _PLAIN or name in _CALLS else _inner(value, left_out)
        for name, value in data.items()
        if name not in left_out
    }
    return {name: value for name, value in inner.items() if _says(name, value)}


def _says(name: str, value: object) -> bool:
    if name in _USUAL and value == _USUAL[name]:
        return False
    return name in _ALWAYS or not (value is False or value in _EMPTY)


def _inner(value: object, left_out: Collection[str]) -> object:
    if isinstance(value, Mapping):
        return _filled(value, left_out)
    if isinstance(value, list | tuple):
        return [_inner(each, left_out) for each in value]
    return value


def _receipt(receipt: Receipt, words: Words) -> Data:
    """Return a receipt: what always stays, then whatever is worth a word."""
    if not receipt.ok:
        refusals = [_refusal(each, words) for each in receipt.refusals]
        return {"ok": False, "outcome": receipt.outcome, "refusals": refusals}
    data: Data = {**receipt.head(words), "sharing": None}
    if more := len(receipt.took_back[MOST_TAKEN_BACK:]):
        first = receipt.took_back[:MOST_TAKEN_BACK]
        data |= {"took_back": [each.as_data() for each in first], "took_back_more": more}
    stays = {"ok": True, "outcome": receipt.outcome, "transaction": receipt.transaction}
    if receipt.sweep is not None:
        swept = _filled(receipt.sweep.lean_files(receipt.files))
        return {**stays, **_filled(data), **swept}
    files = [_file(each, words) for each in receipt.files]
    return {**stays, **_filled(data), **({"files": files} if files else {})}


def shortened(receipt: Receipt, words: Words) -> Receipt:
    """Return the receipt of an undo with as many of its files as a host shows its model."""
    if not receipt.took_back:
        return receipt
    each = _MOST_NAMES // min(len(receipt.took_back), MOST_TAKEN_BACK)
    took_back = tuple(_with_first_files(back, each) for back in receipt.took_back)
    kept = _fitting(receipt.files, lambda file: _size(file, words), _MOST_FILES)
    more = len(receipt.files) - len(kept)
    return replace(receipt, took_back=took_back, files=tuple(kept), more_files=more)


def _with_first_files(back: TakenBack, most: int) -> TakenBack:
    kept = _fitting(back.paths, lambda path: len(json.dumps(path)) + 2, most)
    return replace(back, paths=tuple(kept), more_files=len(back.paths) - len(kept))


def _size(file: FileReceipt, words: Words) -> int:
    text = "\n".join(file_text(file, "lean", words)).encode("utf-8", "surrogatepass")
    return max(len(text), len(json.dumps(_file(file, words)))) + 2


def _fitting(rows: Sequence[R], size: Callable[[R], int], most: int) -> Sequence[R]:
    """Return the first rows that fit, at least one."""
    for number, row in enumerate(rows):
        most -= size(row)
        if most < 0 and number:
            return rows[:number]
    return rows


def _refusal(refusal: Refusal, words: Words) -> Data:
    data = refusal.as_data(words)
    kept = {name: value for name, value in data.items() if name not in refusal.data}
    more = {name: refusal.data[name] for name in _REFUSED if name in refusal.data}
    stays = {name: data[name] for name in ("code", "message", "help")}
    return {**stays, **_filled({**kept, **more})}


def _file(file: FileReceipt, words: Words) -> Data:
    head: Data = file.head(words)
    stays = {"path": file.path, "hash_after": file.hash_after}
    edits = [_edit(file, edit, words) for edit in file.listed_edits("lean")]
    return {**stays, **_filled({**head, "hash_before": None, "edits": edits})}


def _edit(file: FileReceipt, edit: LocatedEdit, words: Words) -> Data:
    data = file.edit_data(edit, words)
    if not data["index"]:
        del data["index"]
    if file.plan.before is None or data["lines_before"] == data["lines_after"]:
        del data["lines_before"]
    if (data["occurrences_found"], data["occurrences_replaced"]) == (1, 1):
        del data["occurrences_found"], data["occurrences_replaced"]
    if not (edit.changes or edit.already_applied or edit.is_mode):
        data["unchanged"] = True
    text = file.text_of(edit, "lean")
    return {**_filled(data), **({"text": text} if text else {})}


def _outlined(file: Outlined) -> Data:
    data = file.as_data()
    segments = [_segment(row) for row in file.rows]
    template = {name: (file.template or {}).get(name) for name in _TEMPLATE}
    data |= {"segments": segments, "template": template}
    return _filled({**data, "editable": data["editable"] if file.has_own_ways else None})


def _segment(row: SegmentRow) -> Data:
    """Return a row without its parts, and without a parent that its address begins with."""
    data = row.as_data()
    row_data = {name: data[name] for name in ("address", "kind", "lines")}
    return row_data if row.address.startswith(row.parent) else {**row_data, "parent": row.parent}
