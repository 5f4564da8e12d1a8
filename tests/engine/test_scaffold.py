import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from keyhole.answers.reading import Outlined
from keyhole.edits.model.operations import Edit
from keyhole.engine.facade import Engine
from keyhole.engine.history.recall import UndoRequest
from keyhole.engine.options import Options
from keyhole.engine.reading import ReadRequest, Shape
from keyhole.engine.scaffold import Scaffold
from keyhole.workspace.tree import TreeOptions
from tests.scene import engine_at

OPTIONS = Options(actor="tester")
DESIGN = {"problem_statement": "It is slow.", "decision": "A cache."}


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    with engine_at(tmp_path) as engine:
        yield engine


def made(engine: Engine, template: str, path: str, **variables: object) -> str:
    receipt = engine.scaffold(Scaffold(template, path, variables), OPTIONS)
    assert receipt.ok, receipt.as_text()
    return (Path(engine.root) / path).read_text(encoding="utf-8")


def text_of(engine: Engine, path: str) -> str:
    return (Path(engine.root) / path).read_text(encoding="utf-8")


def edited(engine: Engine, **edit: object) -> tuple[str, ...]:
    """Carry out one edit, and return what its receipt notes."""
    receipt = engine.edit([Edit(**edit)], OPTIONS)  # type: ignore[arg-type] # fields by name
    assert receipt.ok, receipt.as_text()
    return receipt.files[0].plan.edits[0].notes


# The three files that the first introspector would not make.


def test_a_dataclass_without_fields_is_made(engine: Engine) -> None:
    text = made(engine, "dataclass", "point.py", name="Point")

    assert [node.name for node in ast.parse(text).body if isinstance(node, ast.ClassDef)] == [
        "Point"
    ]


def test_a_worker_with_only_its_basics_is_made(engine: Engine) -> None:
    text = made(engine, "worker", "mailer.py", name="Mailer", layer="outer")

    ast.parse(text)
    assert '    layer = "outer"\n' in text
    [schema] = engine.templates("worker").templates
    assert schema.required == ("layer", "name")
    assert not [name for name in schema.variables if name.startswith("p_")]


def test_a_design_with_two_fields_is_made(engine: Engine) -> None:
    text = made(engine, "design", "docs/a.md", **DESIGN)

    assert "## Problem Statement\n\nIt is slow.\n" in text
    assert "## Decision\n\nA cache.\n" in text


def test_a_new_file_warns_of_nothing(engine: Engine) -> None:
    for schema in engine.templates().templates:
        variables = dict.fromkeys(schema.required, "thing")
        receipt = engine.scaffold(
            Scaffold(schema.id, f"{schema.id}.{schema.format}", variables), OPTIONS
        )

        assert receipt.ok, receipt.as_text()
        assert receipt.files[0].diagnostics == (), schema.id


def test_a_new_file_is_a_transaction_that_can_be_undone(engine: Engine) -> None:
    made(engine, "design", "docs/a.md", **DESIGN)

    assert engine.undo(UndoRequest(), OPTIONS).ok
    assert not engine._tree.exists("docs/a.md")


def test_a_file_that_is_there_is_not_written_over(engine: Engine) -> None:
    before = made(engine, "design", "a.md", **DESIGN)

    receipt = engine.scaffold(Scaffold("plan", "a.md", {"goal": "x"}), OPTIONS)

    assert [refusal.code for refusal in receipt.refusals] == ["file-exists"]
    assert text_of(engine, "a.md") == before


def test_missing_variables_are_refused_in_the_shape_of_a_files_schema(engine: Engine) -> None:
    made(engine, "design", "a.md", **DESIGN)
    receipt = engine.scaffold(Scaffold("design", "b.md", {"decision": "x", "colour": 1}), OPTIONS)
    [refusal] = receipt.refusals
    schema = engine.schema("a.md").as_data()

    assert refusal.data["schema"] == schema["template_schema"]
    assert refusal.data["variables"] == schema["variables"]
    assert refusal.data["artifact_type"] == schema["template_id"] == "design"


# Blocks by name.


def test_a_block_is_replaced_by_its_name_and_the_receipt_says_so(engine: Engine) -> None:
    before = made(engine, "design", "a.md", **DESIGN)

    notes = edited(engine, path="a.md", segment="decision", content="## Decision\n\nTwo caches.\n")

    after = text_of(engine, "a.md")
    assert notes[0] == "`decision` is a block of template design"
    assert _without_date(after) == before.replace("A cache.", "Two caches.")


def test_a_block_is_found_by_its_heading_too(engine: Engine) -> None:
    made(engine, "design", "a.md", **DESIGN)

    notes = edited(engine, path="a.md", segment="Problem Statement", part="body", content="Slow.")

    assert notes[0] == "`problem` is a block of template design"
    assert "## Problem Statement\n\nSlow.\n\n## Scope" in text_of(engine, "a.md")


def test_what_is_no_block_is_looked_for_among_sections_and_symbols(engine: Engine) -> None:
    made(engine, "worker", "w.py", name="Mailer", layer="outer")

    notes = edited(engine, path="w.py", segment="Mailer.run", part="body", content="return None")

    told = "`Mailer.run` is a method; template worker has no block of that name here"
    assert notes[0] == told


def test_code_in_a_block_is_indented_for_its_place(engine: Engine) -> None:
    made(engine, "dataclass", "p.py", name="Point")

    edited(engine, path="p.py", segment="fields", content="x: int\ny: int = 0\n")

    text = text_of(engine, "p.py")
    assert text.endswith('    """What it holds."""\n    x: int\n    y: int = 0\n')
    ast.parse(text)


def test_a_block_is_read_and_emptied_and_filled_again(engine: Engine) -> None:
    made(engine, "plan", "p.md", goal="Ship.", steps=["write", "test"])

    reading = engine.read("p.md", ReadRequest(segment="steps", numbered=False))
    edited(engine, path="p.md", segment="steps", part="body", action="append", content="3. rest")

    assert reading.text == "## Steps\n\n1. write\n2. test\n"
    assert "1. write\n2. test\n3. rest\n" in text_of(engine, "p.md")


def test_a_block_asked_for_by_kind_falls_back_to_a_section(engine: Engine) -> None:
    (Path(engine.root) / "a.md").write_text("# A\n\n## B\n\nold\n", encoding="utf-8")

    edited(engine, path="a.md", segment="B", kinds=("template_block",), content="## B\n\nnew\n")

    assert text_of(engine, "a.md") == "# A\n\n## B\n\nnew\n"


# Whatever is wrong with a header or a template, other names work.


@pytest.mark.parametrize(
    ("head", "warning"),
    [
        ("<!-- template=nowhere version=abcdef01 -->\n", "there is no template `nowhere` here"),
        ("<!-- template=?? version=abcdef01 -->\n", "the scaffold header is damaged"),
        ("<!-- SCAFFOLD: rubbish -->\n", "the scaffold header is damaged"),
        ("<!-- template=design version=00000000 -->\n", "made with design 00000000"),
    ],
)
def test_a_file_with_an_odd_header_is_edited_like_any_other(
    engine: Engine, head: str, warning: str
) -> None:
    path = Path(engine.root) / "a.md"
    path.write_text(f"{head}# A\n\n## Notes\n\nold\n", encoding="utf-8")

    edited(engine, path="a.md", segment="Notes", part="body", content="new")

    assert path.read_text(encoding="utf-8").endswith("# A\n\n## Notes\n\nnew\n")
    [told] = engine.schema("a.md").warnings
    assert told.startswith(warning)


def test_a_template_that_jinja_cannot_read_takes_nothing_away(tmp_path: Path) -> None:
    shelf, root = tmp_path / "shelf", tmp_path / "root"
    shelf.mkdir()
    root.mkdir()
    (shelf / "odd.md.j2").write_text("{% if %}", encoding="utf-8")
    (root / "a.md").write_text("<!-- template=odd version= -->\n# A\n\nold\n", encoding="utf-8")
    engine = Engine.open(root, tmp_path / "state", TreeOptions(templates=(shelf,)))

    edited(engine, path="a.md", segment="A", part="body", content="new")
    schema = engine.schema("a.md")
    [listed] = [each for each in engine.templates().templates if each.id == "odd"]
    engine.close()

    assert (root / "a.md").read_text(encoding="utf-8").endswith("# A\n\nnew\n")
    assert schema.warnings == ("template `odd` cannot be read; its blocks are not known",)
    assert listed.warnings[0].startswith("template `odd` cannot be used: odd.md.j2, line 1")


def test_the_schema_of_a_file_that_saw_no_template(engine: Engine) -> None:
    (Path(engine.root) / "a.py").write_text("def f():\n    pass\n", encoding="utf-8")

    data = engine.schema("a.py").as_data()

    assert data["file_type"] == "non-scaffolded"
    assert data["template_id"] is None
    assert data["template_schema"] == {"required": [], "optional": []}
    capabilities = data["edit_capabilities"]
    assert isinstance(capabilities, dict)
    assert capabilities["segments"] == {"python_function": ["f"]}


def test_an_outline_names_the_template_and_its_blocks(engine: Engine) -> None:
    made(engine, "adr", "a.md", context="c", decision="d")

    found = engine.outline("a.md", Shape(kinds=("template_block",)))

    assert isinstance(found, Outlined)
    assert found.template is not None
    assert (found.template["id"], found.template["warnings"]) == ("adr", [])
    names = [row.address for row in found.rows]
    assert names[0] == "metadata"
    assert {"context", "decision", "consequences", "related"} <= {
        name.removeprefix("block:") for name in names
    }
    assert "template_block" in found.editable


def test_every_address_of_an_outline_finds_what_it_lists(engine: Engine) -> None:
    made(engine, "worker", "w.py", name="Mailer", layer="core")

    found = engine.outline("w.py", Shape())

    assert isinstance(found, Outlined)
    places = {row.address: row.lines for row in found.rows}
    assert places["imports"] != places["imports#1"]
    for address, (first, last) in places.items():
        read = engine.read("w.py", ReadRequest(address))
        # A block with nothing in it has a place, and no lines.
        assert read.lines == ((first, last) if read.rows else (first, first - 1))


def test_a_symbol_with_the_name_of_a_block_is_said_to_be_one(engine: Engine) -> None:
    made(engine, "worker", "w.py", name="Mailer", layer="core")

    notes = edited(engine, path="w.py", segment="imports#1", action="append", content="import os")

    assert notes[0] == "`imports` is here the imports, not the block of template worker"


# The date in the header.


def _without_date(text: str) -> str:
    head, _, rest = text.partition(" updated=")
    return f"{head} updated={rest[rest.index(' -->') :]}"


def test_an_edit_writes_its_date_into_the_header(engine: Engine) -> None:
    made(engine, "design", "a.md", **DESIGN)

    notes = edited(engine, path="a.md", find="A cache.", content="No cache.")

    header = engine.schema("a.md").header
    assert notes[-1] == f"updated= in the header is now {header['updated']}"


def test_an_edit_of_the_header_itself_is_left_as_it_is(engine: Engine) -> None:
    made(engine, "design", "a.md", **DESIGN)

    edited(engine, path="a.md", find="updated= -->", content="updated=2020-01-01 -->")

    assert engine.schema("a.md").header["updated"] == "2020-01-01"


def test_nothing_is_written_where_nothing_changes(engine: Engine) -> None:
    before = made(engine, "design", "a.md", **DESIGN)

    receipt = engine.edit([Edit(path="a.md", find="A cache.", content="A cache.")], OPTIONS)

    assert receipt.outcome == "unchanged"
    assert text_of(engine, "a.md") == before


def test_the_date_can_be_switched_off(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    options = TreeOptions(refresh_updated=False)
    engine = Engine.open(tmp_path / "root", tmp_path / "state", options)
    before = made(engine, "design", "a.md", **DESIGN)

    edited(engine, path="a.md", find="A cache.", content="No cache.")
    after = text_of(engine, "a.md")
    engine.close()

    assert after == before.replace("A cache.", "No cache.")


def test_an_older_edit_is_taken_back_though_a_later_one_wrote_the_date(engine: Engine) -> None:
    made(engine, "design", "a.md", **DESIGN)
    first = engine.edit([Edit(path="a.md", find="It is slow.", content="Slow.")], OPTIONS)
    # A date of another second: the later edit really writes the field again.
    edited(engine, path="a.md", find=f"updated={_date(engine)}", content="updated=2020-01-01")
    edited(engine, path="a.md", find="A cache.", content="No cache.")

    receipt = engine.undo(UndoRequest(first.transaction), OPTIONS)

    assert receipt.ok, receipt.as_text()
    text = text_of(engine, "a.md")
    assert "It is slow." in text
    assert "No cache." in text


def _date(engine: Engine) -> str:
    return str(engine.schema("a.md").header["updated"])


def test_an_undo_right_after_brings_the_very_bytes_back(engine: Engine) -> None:
    before = made(engine, "design", "a.md", **DESIGN)
    edited(engine, path="a.md", find="A cache.", content="No cache.")

    engine.undo(UndoRequest(), OPTIONS)

    assert text_of(engine, "a.md") == before
