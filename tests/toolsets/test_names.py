"""A name that is not there edits nothing, whichever tool it comes through."""

from pathlib import Path

import pytest

from keyhole import Edit, Workspace

FILES = {
    "m.py": "class Worker:\n    def _process(self):\n        return 1\n",
    "m.md": "# Guide\n\n## get_data\n\nOld.\n\n## Usage\n\nOld.\n",
}
METHOD = {"segment_type": "python_method", "segment_name": "Worker.process", "new_content": "x = 1"}
SECTION = {"segment_type": "markdown_section", "segment_name": "getdata", "new_content": "## x"}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def texts(root: Path) -> dict[str, str]:
    return {name: (root / name).read_text(encoding="utf-8") for name in FILES}


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("safe_edit_file", {"path": "m.py", "segment_edit": METHOD}),
        ("safe_edit_file", {"path": "m.md", "segment_edit": SECTION}),
        (
            "TextPatch",
            {"filePath": "m.md", "operation": "delete", "target": {"heading": "getdata"}},
        ),
        ("TextPatch", {"filePath": "m.md", "operation": "delete", "target": {"heading": "Usages"}}),
        ("edit_section", {"path": "m.md", "section_title": "usage", "content": "x", "reason": "r"}),
        ("delete_section", {"path": "m.md", "section_title": "getdata", "reason": "r"}),
    ],
)
def test_another_name_is_refused(files: Path, tool: str, arguments: dict[str, object]) -> None:
    with Workspace(files) as workspace:
        said = workspace.call(tool, arguments)

    assert said.refused
    assert said.data["code"] == "unknown-segment"
    assert texts(files) == FILES


def test_a_heading_in_another_case_is_told(files: Path) -> None:
    target = {"heading": "USAGE"}
    with Workspace(files) as workspace:
        patch = {"filePath": "m.md", "operation": "delete", "target": target}
        said = workspace.call("TextPatch", patch)

    assert "`USAGE` is the heading `Guide::Usage`, case and markup aside" in str(said.data["note"])


def test_what_was_refused_is_carried_out_by_its_id(files: Path) -> None:
    edit = Edit(path="m.py", segment="Worker.process", content="def process(self):\n    return 2\n")
    with Workspace(files) as workspace:
        refused = workspace.edit([edit])
        (candidate,) = refused.refusals[0].candidates
        done = workspace.edit([Edit(path="m.py", accept=candidate.accept)])

    assert (candidate.segment, done.files[0].plan.edits[0].matched) == (
        "Worker._process",
        "accepted",
    )
    assert texts(files)["m.py"] == "class Worker:\n    def process(self):\n        return 2\n"
