from tests.tree import tree


def test_the_tree_of_a_file_shows_kinds_fields_and_the_text_of_leaves() -> None:
    assert tree("go", "package a\n\ntype ID = string\n") == [
        "source_file",
        "  package_clause",
        "    package_identifier 'a'",
        "  type_declaration",
        "    type_alias name=type_identifier type=type_identifier",
        "      type_identifier 'ID'",
        "      type_identifier 'string'",
    ]
