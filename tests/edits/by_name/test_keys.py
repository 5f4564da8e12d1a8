import pytest

from tests.edits.segment_calls import after, notes, refusal

JSON = '{\n  "a": 1,\n  "b": {"c": 2}\n}\n'
YAML = "a: 1\nb:\n  - x\n  - y: 1\nc:\n"


@pytest.mark.parametrize(
    "edit",
    [
        {"segment": "a", "part": "doc", "content": "x"},
        {"segment": "a", "part": "body", "action": "delete"},
        {"segment": "a", "action": "append", "content": "x"},
    ],
)
def test_what_a_key_has_not_is_refused(edit: dict[str, object]) -> None:
    assert refusal("a.json", JSON, **edit).code == "wrong-segment-kind"


def test_a_comment_comes_with_its_comma() -> None:
    text = '{\n  "a": 1, // one\n  "b": 2\n}\n'

    assert after("a.jsonc", text, segment="a", content='"a": 2 // two') == (
        '{\n  "a": 2, // two\n  "b": 2\n}\n'
    )
    assert after("a.jsonc", text, segment="b", content='"b": 3 // three') == (
        '{\n  "a": 1, // one\n  "b": 3 // three\n}\n'
    )


def test_a_value_is_written_over_a_value() -> None:
    assert after("a.json", JSON, segment="b", content="[\n  1\n]") == (
        '{\n  "a": 1,\n  "b": [\n    1\n  ]\n}\n'
    )
    assert after("a.toml", "a = 1\n", segment="a", content="2") == "a = 2\n"
    assert notes("a.toml", "a = 1\n", segment="a", content="2") == (
        "the new text is a value alone: the key stays",
    )


def test_an_item_is_written_as_it_comes() -> None:
    text = '{\n  "a": [\n    {"x": 1},\n    {"y": 2}\n  ]\n}\n'

    assert after("a.json", text, segment="a.0", content='{"z": 3},') == (
        text.replace('{"x": 1}', '{"z": 3}')
    )
    assert after("a.json", text, segment="a.1", part="body", content='{"z": 3}') == (
        text.replace('{"y": 2}', '{"z": 3}')
    )


def test_blocks_and_values_of_yaml() -> None:
    assert after("a.yaml", YAML, segment="b", part="body", content="- z") == (
        "a: 1\nb:\n  - z\nc:\n"
    )
    assert after("a.yaml", YAML, segment="a", part="body", content="2") == YAML.replace("1", "2", 1)
    assert after("a.yaml", YAML, segment="c", part="body", content="- z") == YAML + "  - z\n"


def test_keys_and_items_of_yaml_go() -> None:
    assert after("a.yaml", YAML, segment="a", action="delete") == YAML.removeprefix("a: 1\n")
    assert after("a.yaml", YAML, segment="b.1.y", action="delete") == (
        "a: 1\nb:\n  - x\n  - \nc:\n"
    )


def test_beside_a_key_that_shares_its_line_with_a_dash() -> None:
    assert after("a.yaml", YAML, segment="b.1.y", action="after", content="z: 1") == (
        YAML.replace("y: 1\n", "y: 1\n    z: 1\n")
    )
    nested = "a:\n  - - x\n"
    assert refusal("a.yaml", nested, segment="a.0.0", action="after", content="y").headline == (
        "the item `a.0.0` shares its line"
    )


def test_into_yaml() -> None:
    assert after("a.yaml", YAML, segment="b", action="prepend", content="w") == (
        YAML.replace("  - x", "  - w\n  - x")
    )
    assert after("a.yaml", YAML, segment="c", action="append", content="z: 1") == YAML + "  z: 1\n"
    assert refusal("a.yaml", YAML, segment="a", action="append", content="z").code == (
        "wrong-segment-kind"
    )


def test_a_key_without_a_value_in_toml_is_no_place() -> None:
    assert refusal("a.toml", "a = 1\n", segment="a", action="append", content="2").code == (
        "wrong-segment-kind"
    )


def test_an_empty_item_gets_a_value() -> None:
    text = "a:\n  -\n  - b\n"

    assert after("a.yaml", text, segment="a.0", part="body", content="x") == ("a:\n  - x\n  - b\n")
    assert after("a.yaml", text, segment="a.0", content="x") == "a:\n  - x\n  - b\n"


def test_two_items_come_at_once() -> None:
    assert after("a.yaml", YAML, segment="b.0", action="after", content="- v: 1\n- w: 2") == (
        YAML.replace("  - x\n", "  - x\n  - v: 1\n  - w: 2\n")
    )


def test_a_mapping_that_begins_with_the_name_of_its_key_is_a_value() -> None:
    assert after("a.yaml", YAML, segment="a", part="body", content="a: 1\nd: 2") == (
        YAML.replace("a: 1\n", "a:\n  a: 1\n  d: 2\n")
    )


def test_into_a_last_value_without_a_line_end() -> None:
    assert after("a.yaml", "a:\n  b: 1", segment="a", action="append", content="c: 2") == (
        "a:\n  b: 1\n  c: 2"
    )


_YAML = (
    "title: x\nauthor:\n  name: y\n  mail: z\ntags: [a, b]\nlist:\n- one\n- two\nlast: 1 # why\n"
)
_TOML = 'title = "x"\ntags = [1, 2]\n\n[params]\nk = 1\nlast = 2\n'


@pytest.mark.parametrize(
    ("mark", "suffix", "text", "names"),
    [
        ("---\n", "yaml", _YAML, ["title", "author", "author.mail", "tags", "list.1", "last"]),
        ("+++\n", "toml", _TOML, ["title", "tags", "params.k", "params.last"]),
    ],
)
def test_front_matter_is_edited_as_a_file_of_its_own(
    mark: str, suffix: str, text: str, names: list[str]
) -> None:
    edits: list[dict[str, object]] = [
        {"content": "5"},
        {"part": "body", "content": "6"},
        {"action": "delete"},
        {"action": "before", "content": "new: 7" if suffix == "yaml" else "new = 7"},
        {"action": "after", "content": "new: 8" if suffix == "yaml" else "new = 8"},
    ]
    edits = [{**edit, "segment": name} for name in names for edit in edits]
    edits += [{"segment": "tags", "action": "append", "content": "9"}]
    for edit in edits:
        alone = after(f"a.{suffix}", text, **edit)
        inside = {**edit, "segment": f"frontmatter.{edit['segment']}"}
        whole = after("a.md", f"{mark}{text}{mark}\n# title\n\ntext\n", **inside)
        assert whole == f"{mark}{alone}{mark}\n# title\n\ntext\n", edit
    assert len(edits) == 5 * len(names) + 1
