import json

import pytest

from keyhole.toolsets import tool_named
from keyhole.toolsets.argument_shapes import shape_of
from keyhole.toolsets.healing import heal
from keyhole.toolsets.wrapping import Healing

EDIT = {"find": "x", "content": "y"}
CLEAN = {"path": "a.py", "edits": [EDIT]}
JSON = json.dumps([EDIT])


def healed(tool: str, given: dict[str, object]) -> Healing:
    found = tool_named(tool)
    return heal(given, shape_of(found.shape(given)), tool, lambda: ("/root", "/link"))


@pytest.mark.parametrize(
    "given",
    [
        {"path": "a.py", **EDIT},
        {"path": "a.py", "edits": EDIT},
        {"path": "a.py", "edit": EDIT},
        {"path": "a.py", "edits": JSON},
        {"path": "a.py", "edits": json.dumps(JSON)},
        {"path": "a.py", "edits": json.dumps(EDIT)},
        {"path": "a.py", "edits": JSON.replace("}", ",}").replace("]", ",]")},
        {"path": "a.py", "edits": [json.dumps(EDIT)]},
        {"path": "a.py", "edits": [[EDIT]]},
        {"path": "a.py", "edits": [{"edit": EDIT}]},
        {"path": "a.py", "edits": {"edits": [EDIT]}},
        {"path": "a.py", "edits": {"edits": JSON}},
        {"path": "a.py", "edits": json.dumps({"edits": [EDIT]})},
        {"edits": {"path": "a.py", "edits": [EDIT]}},
        {"arguments": CLEAN},
        {"arguments": json.dumps(CLEAN)},
        {"params": {"path": "a.py", **EDIT}},
        {"edit": CLEAN},
        {"edit": {"path": "a.py", **EDIT}},
        {"name": "edit", "arguments": CLEAN},
        {"path": "a.py", "input": {"edits": [EDIT]}},
        {"payload": CLEAN},
        {"path": "a.py", "edits": {"item": [EDIT]}},
        {"path": "a.py", "edits": [{"edits": [EDIT]}]},
        {"path": "a.py", "edits": "[]", **EDIT},
        {"path": "a.py", "edits": [{"old_string": "x", "new_string": "y"}]},
        {"path": "a.py", "edits": [{"oldText": "x", "newText": "y"}]},
        {"path": "a.py", "edits": [{"old_str": "x", "new_str": "y"}]},
        {"path": "a.py", "edits": [{"search": "x", "replace": "y"}]},
        {"path": "a.py", "edits": [{"old_content": "x", "new_content": "y"}]},
        {"file_path": "a.py", "oldString": "x", "newString": "y"},
        {"filename": "a.py", "edits": [EDIT]},
        {"filePath": "a.py", "Edits": [EDIT]},
        {"path": "a.py", "edits": [{**EDIT, "old_string": "x"}]},
        {"path": "a.py", "file_path": "./a.py", "edits": [EDIT]},
        {"path": "a.py", "file_path": "/root/a.py", "edits": [EDIT]},
        {"path": "a.py", "file_path": "/link/b/../a.py", "edits": [EDIT]},
        {"path": "a.py", "edits": [EDIT], **EDIT},
        {"path": "a.py", "edits": [{**EDIT, "segment": "", "until": None, "lines": []}]},
        {"path": "a.py", "edits": [], **EDIT},
        {"path": "a.py", "edits": [EDIT], "task": "", "": None, "colour": None},
        {"path": "a.py", "edits": [{**EDIT, "replace_all": False}]},
    ],
    ids=str,
)
def test_a_call_in_another_shape_becomes_ours(given: dict[str, object]) -> None:
    found = healed("edit", given)

    assert found.arguments == CLEAN
    assert found.healed
    assert (found.doubts, found.stray) == ((), ())


@pytest.mark.parametrize(
    "given",
    [
        CLEAN,
        {"path": "a.py", "edits": [{"find": "", "content": ""}]},
        {"path": "a.py", "edits": [{"lines": [3, 7], "content": ""}], "dry_run": True},
        {"path": "a.py", "edits": [{"lines": "-40-", "content": "\x00 `find` ```"}]},
        {"path": "a.py", "edits": [{"lines": "-1", "content": "x", "occurrence": "2"}]},
        {"path": "a.py", "edits": [{**EDIT, "content": '{"find": "a",}'}]},
        {"edits": [{**EDIT, "path": "a.py"}, {**EDIT, "path": "b.py"}]},
        {"path": "a.py", "edits": [{**EDIT, "path": "a.py"}]},
        {"path": "a.py", "edits": "not JSON"},
        {"path": "a.py", "edits": '[{"find": "a", "find": "b", "content": "c"}]'},
        {"path": "a.py", "edits": [{**EDIT, "regex": "maybe", "colour": 5}]},
    ],
    ids=str,
)
def test_what_is_ours_or_nobodys_is_left_alone(given: dict[str, object]) -> None:
    found = healed("edit", given)

    assert (found.arguments, found.healed, found.doubts) == (given, (), ())


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ({"regex": "true"}, {"regex": True}),
        ({"regex": "False "}, {"regex": False}),
        ({"regex": "1"}, {"regex": True}),
        ({"replace_all": True}, {"occurrence": "all"}),
        ({"replaceAll": "true"}, {"occurrence": "all"}),
        ({"occurrence": "all", "replace_all": True}, {"occurrence": "all"}),
        ({"start_line": 3, "end_line": "7"}, {"lines": [3, 7]}),
        ({"startLine": 3, "endLine": -1}, {"lines": "3-"}),
        ({"lines": "L3-L7"}, {"lines": "3-7"}),
        ({"lines": "L3"}, {"lines": "3"}),
        ({"lines": "l3-"}, {"lines": "3-"}),
        ({"lines": ["3", "7"]}, {"lines": [3, 7]}),
        ({"lines": "[3, 7]"}, {"lines": [3, 7]}),
        ({"lines": [[3, 7]]}, {"lines": [3, 7]}),
        ({"lines": ["L3-L7"]}, {"lines": "3-7"}),
        ({"lines": {"start": 3, "end": 7}}, {"lines": [3, 7]}),
        ({"lines": [3, 7], "start_line": 3, "end_line": 7}, {"lines": [3, 7]}),
        ({"indent": "4"}, {"indent": 4}),
        ({"description": "why"}, {"reason": "why"}),
        ({"explanation": "why"}, {"reason": "why"}),
        ({"position": "after"}, {"action": "after"}),
        ({"type": "insert_before"}, {"action": "before"}),
        ({"command": "str_replace"}, {"action": "replace"}),
        ({"reason": 7}, {"reason": "7"}),
        ({"accept": 123456789012}, {"accept": "123456789012"}),
    ],
    ids=str,
)
def test_a_field_of_an_edit_may_be_said_otherwise(
    field: dict[str, object], value: dict[str, object]
) -> None:
    found = healed("edit", {"path": "a.py", "edits": [{**EDIT, **field}]})

    assert found.arguments["edits"] == [{**EDIT, **value}]
    assert found.healed
    assert (found.doubts, found.stray) == ((), ())


A, B = {**EDIT, "path": "a.py"}, {**EDIT, "path": "b.py"}


def test_versions_of_files_may_stand_in_their_edits() -> None:
    one, other = {**A, "expected_hash": "1"}, {**B, "expected_hash": "2"}
    both: dict[str, object] = {"a.py": "1", "b.py": "2"}

    assert healed("edit", {"edits": [one, other]}).arguments == {
        "edits": [A, B],
        "expected_hash": both,
    }
    assert healed("edit", {"edits": [one, A, B]}).arguments["expected_hash"] == {"a.py": "1"}
    for wrong in ([one, {**A, "expected_hash": "2"}], [{**EDIT, "expected_hash": "1"}, B]):
        assert healed("edit", {"edits": wrong}).stray


SURGICAL: dict[str, object] = {
    "path": "a",
    "task_id": "7",
    "old_content": "x",
    "new_content": "y",
}
OTHERS: list[tuple[str, dict[str, object], dict[str, object]]] = [
    ("read", {"file_path": "a", "numbered": "false"}, {"path": "a", "numbered": False}),
    ("read", {"path": "a", "start_line": "2", "end_line": 3}, {"path": "a", "lines": [2, 3]}),
    (
        "outline",
        {"path": "a", "kinds": "class", "depth": "2"},
        {"path": "a", "kinds": ["class"], "depth": 2},
    ),
    (
        "write",
        {"filename": "a", "file_text": "", "dryRun": True},
        {"path": "a", "content": "", "dry_run": True},
    ),
    ("patch", {"diff": "x"}, {"patch": "x"}),
    ("patch", {"patch": {"patch": "x"}}, {"patch": "x"}),
    ("patch", {"patch": {"path": "a", "diff": "x"}}, {"path": "a", "patch": "x"}),
    (
        "undo",
        {"id": "3-a", "edit": "0", "dryRun": "true"},
        {"id": "3-a", "edit": 0, "dry_run": True},
    ),
    (
        "history",
        {"count": "2", "offset": 10, "task": 7},
        {"limit": 2, "offset": "10", "task": "7"},
    ),
    ("search_files", {"query": "x", "dir": "a"}, {"pattern": "x", "path": "a"}),
    (
        "TextPatch",
        {"path": "a", "op": "delete", "heading": "## A"},
        {"filePath": "a", "operation": "delete", "target": {"heading": "## A"}},
    ),
    ("search", {"q": "x", "offset": 1}, {"query": "x", "offset": "1"}),
    ("read", {"path": "a", "name": "Worker.run"}, {"path": "a", "segment": "Worker.run"}),
    ("read", {"path": "a", "function": "run"}, {"path": "a", "segment": "run"}),
    (
        "rename",
        {"file": "a", "old_name": "f", "new_name": "g"},
        {"path": "a", "segment": "f", "to": "g"},
    ),
    (
        "rename",
        {"path": "a", "symbol": "f", "newSymbolName": "g"},
        {"path": "a", "segment": "f", "to": "g"},
    ),
    ("scaffold", {"name": "adr"}, {"template": "adr"}),
    ("edit_file", {"path": "a", "task_id": 7, "old": "x", "new": "y"}, SURGICAL),
    ("apply_patch", {"patch": "x"}, {"input": "x"}),
    ("apply_patch", {"input": {"input": "x"}}, {"input": "x"}),
    (
        "edit_article",
        {"path": "a", "old_string": "x", "new_string": "y", "reason": "r"},
        {"path": "a", "edits": [{"old_string": "x", "new_string": "y", "reason": "r"}]},
    ),
    (
        "edit_article",
        {
            "path": "a",
            "edits": [{"path": "/root/a", "find": "x", "content": "", "explanation": "r"}],
        },
        {"path": "a", "edits": [{"old_string": "x", "new_string": "", "reason": "r"}]},
    ),
    (
        "edit_article",
        {"edits": {"file_path": "a", "old_string": "x", "new_string": "y", "reason": "r"}},
        {"path": "a", "edits": [{"old_string": "x", "new_string": "y", "reason": "r"}]},
    ),
    (
        "TextEdit",
        {"path": "a", "edits": {"old_str": "x", "new_str": "y", "replace_all": "true"}},
        {"filePath": "a", "edits": [{"oldString": "x", "newString": "y", "replaceAll": True}]},
    ),
    (
        "TextReplace",
        {"path": "a", "search": "x", "replace": "", "replace_all": True, "expected_hash": "h"},
        {"filePath": "a", "oldText": "x", "newText": "", "occurrence": "all", "expectedHash": "h"},
    ),
    (
        "TextPatch",
        {"file_path": "a", "operation": "delete", "target": '{"lines": "L3-L7"}'},
        {"filePath": "a", "operation": "delete", "target": {"lines": {"start": 3, "end": 7}}},
    ),
    (
        "TextPatch",
        {"filePath": "a", "operation": "replace", "start_line": 3, "end_line": 7, "content": ""},
        {
            "filePath": "a",
            "operation": "replace",
            "content": "",
            "target": {"lines": {"start": 3, "end": 7}},
        },
    ),
    (
        "TextPatch",
        {"filePath": "a", "operation": "insert", "append_to_section": "## A", "content": "x"},
        {
            "filePath": "a",
            "operation": "insert",
            "content": "x",
            "target": {"appendToSection": "## A"},
        },
    ),
    (
        "safe_edit_file",
        {"path": "a", "old_string": "x", "new_string": "y"},
        {"path": "a", "search": "x", "replace": "y"},
    ),
    (
        "safe_edit_file",
        {"path": "a", "line_edits": {"lines": [3, 7], "content": ""}},
        {"path": "a", "line_edits": [{"new_content": "", "start_line": 3, "end_line": 7}]},
    ),
    (
        "safe_edit_file",
        {"path": "a", "start_line": 3, "end_line": 7, "new_content": ""},
        {"path": "a", "line_edits": [{"new_content": "", "start_line": 3, "end_line": 7}]},
    ),
    (
        "safe_edit_file",
        {"path": "a", "segmentType": "python_class", "segmentName": "A", "newContent": "y"},
        {
            "path": "a",
            "segment_edit": {
                "segment_type": "python_class",
                "segment_name": "A",
                "new_content": "y",
            },
        },
    ),
    (
        "edit_file",
        {
            "file": "a",
            "old_string": "x",
            "new_string": "y",
            "replaceAll": "true",
            "occurrence": None,
        },
        {"path": "a", "old_content": "x", "new_content": "y", "occurrence": 0},
    ),
    (
        "insert_at",
        {"path": "a", "line": "-1", "new_content": "x"},
        {"path": "a", "line": -1, "content": "x"},
    ),
    (
        "str_replace_based_edit_tool",
        {"command": "create", "path": "a", "content": "x", "old_str": "", "view_range": []},
        {"command": "create", "path": "a", "file_text": "x"},
    ),
    (
        "str_replace_based_edit_tool",
        {"command": "str_replace", "path": "a", "find": "x", "replace": "y"},
        {"command": "str_replace", "path": "a", "old_str": "x", "new_str": "y"},
    ),
    (
        "str_replace_based_edit_tool",
        {"command": "view", "path": "a", "start_line": 2, "end_line": 4},
        {"command": "view", "path": "a", "view_range": [2, 4]},
    ),
]


@pytest.mark.parametrize(("tool", "given", "meant"), OTHERS, ids=str)
def test_every_interface_is_healed(
    tool: str, given: dict[str, object], meant: dict[str, object]
) -> None:
    found = healed(tool, given)

    assert found.arguments == meant
    assert found.healed
    assert (found.doubts, found.stray) == ((), ())


def test_null_is_a_word_where_the_interface_has_it() -> None:
    given: dict[str, object] = {"path": "a", "section_title": None, "content": "x"}

    assert healed("edit_section", given).arguments == given


OTHER = {"find": "z", "content": ""}


@pytest.mark.parametrize(
    ("tool", "given", "meant"),
    [
        ("edit", [{**EDIT, "dry_run": True}], {"dry_run": True}),
        ("edit", [{**EDIT, "dryRun": "true"}], {"dry_run": True}),
        (
            "edit",
            [{**EDIT, "mode": "verify_only", "task": "t"}],
            {"mode": "verify_only", "task": "t"},
        ),
        ("edit", [{**EDIT, "detail": "full"}, {**OTHER, "detail": "full"}], {"detail": "full"}),
        ("edit", [{**EDIT, "expected_hash": "0"}], {"expected_hash": "0"}),
        ("edit", [{**EDIT, "dry_run": True}, OTHER], {}),
        ("edit", [{**EDIT, "dry_run": True}, {**OTHER, "dry_run": False}], {}),
    ],
    ids=str,
)
def test_an_argument_of_the_call_may_stand_in_each_of_its_edits(
    tool: str, given: list[dict[str, object]], meant: dict[str, object]
) -> None:
    found = healed(tool, {"path": "a.py", "edits": given})

    edits = [{name: one[name] for name in EDIT} for one in given] if meant else given
    assert found.arguments == {"path": "a.py", "edits": edits, **meant}
    assert bool(found.stray) is not bool(meant)


def test_an_argument_of_the_call_may_stand_in_the_object_of_its_edit() -> None:
    named = {"segment_type": "python_function", "segment_name": "f", "new_content": "x"}
    found = healed("safe_edit_file", {"path": "a", "segment_edit": {**named, "mode": "strict"}})

    assert found.arguments == {"path": "a", "segment_edit": named, "mode": "strict"}
    assert found.healed == ("`mode` stood inside of `segment_edit`",)


@pytest.mark.parametrize(
    ("tool", "given", "headline"),
    [
        (
            "edit",
            {**CLEAN, "file_path": "b.py"},
            "`path` is given twice, also as `file_path`, and they differ",
        ),
        (
            "edit",
            {"path": "a.py", "edits": [{**EDIT, "old_string": "z"}]},
            "`find` is given twice, also as `old_string`, and they differ",
        ),
        (
            "edit",
            {"path": "a.py", "edits": [{**EDIT, "new_string": ""}]},
            "`content` is given twice, also as `new_string`, and they differ",
        ),
        (
            "edit",
            {"path": "a.py", "edits": [{"find": "x", "replace": "", "content": "y"}]},
            "`content` is given twice, also as `replace`, and they differ",
        ),
        ("write", {"path": "a", "content": {"b": 1}}, "`content` is an object; it is one text"),
        ("write", {"path": "a", "content": ["b", "c"]}, "`content` is a list; it is one text"),
        ("write", {"path": "a", "content": 5}, "`content` is a number; it is one text"),
        ("write", {"path": "a", "content": True}, "`content` is true or false; it is one text"),
        ("patch", {"patch": {"path": "a", "edits": []}}, "`patch` is an object; it is one text"),
        (
            "edit",
            {"path": "a.py", "edits": [{**EDIT, "occurrence": "first", "replace_all": True}]},
            "`occurrence` is given twice, also as `replace_all`, and they differ",
        ),
        (
            "edit",
            {"path": "a.py", "edits": [{**EDIT, "occurrence": "all", "replace_all": False}]},
            "`occurrence` is given twice, also as `replace_all`, and they differ",
        ),
        (
            "edit",
            {"path": "a.py", "edits": [{"content": "", "start_line": 3}]},
            "`start_line` is given without `end_line`",
        ),
        (
            "edit",
            {**CLEAN, "match": "exact"},
            "`match` beside `edits` is not read: it belongs inside",
        ),
        (
            "edit",
            {**CLEAN, "find": "z", "content": "y"},
            "`find`, `content` beside `edits` is not read: it belongs inside",
        ),
        (
            "edit",
            {"path": "a.py", "edits": [{**EDIT, "path": "b.py"}]},
            "`path` of the call is for none of its edits: each in `edits` has another one",
        ),
        (
            "edit_article",
            {
                "path": "a",
                "edits": [{"path": "b", "old_string": "x", "new_string": "y", "reason": "r"}],
            },
            "`path` inside of `edits` differs from `path` of the call",
        ),
    ],
    ids=str,
)
def test_what_is_said_in_two_ways_is_in_doubt(
    tool: str, given: dict[str, object], headline: str
) -> None:
    [doubt] = healed(tool, given).doubts

    assert doubt.refusal.headline == headline
    assert doubt.refusal.code == "bad-request"
    assert doubt.readings


@pytest.mark.parametrize(
    ("tool", "given", "stray"),
    [
        ("edit", {**CLEAN, "colour": 1}, [("colour",)]),
        ("edit", {**CLEAN, "-n": True}, [("-n",)]),
        ("search", {"query": "x", "-n": True}, [("-n",)]),
        ("edit", {"path": "a", "edits": [{**EDIT, "fnd": 1}]}, [("edits", 0, "fnd")]),
        (
            "TextPatch",
            {"filePath": "a", "operation": "delete", "target": {"afterHeading": "x"}},
            [("target", "afterHeading")],
        ),
        ("TextPatch", {"filePath": "a", "operation": "delete", "section": "x"}, [("section",)]),
        (
            "TextPatch",
            {"filePath": "a", "operation": "delete", "target": {"text": "x"}},
            [("target", "text")],
        ),
        ("write", {"path": "a", "content": "x", "old_string": "y"}, [("old_string",)]),
        ("edit_article", {"path": "a", "edits": [], "replace_all": True}, [("replace_all",)]),
    ],
    ids=str,
)
def test_what_nobody_would_read_is_named(
    tool: str, given: dict[str, object], stray: list[tuple[str, ...]]
) -> None:
    assert list(healed(tool, given).stray) == stray
