"""Rows of the table of languages: those one compiles."""

from __future__ import annotations

from keyhole.segments.language import Language

_C_NODES = {
    "function": "function_definition@declarator*",
    "struct": "struct_specifier!",
    "enum": "enum_specifier!",
    "union": "union_specifier!",
    "type": "type_definition@declarator*/type",
    "macro": "preproc_def/value preproc_function_def/value",
    "variable": "declaration@declarator*/declarator.value|declarator*=function_declarator"
    "|declarator",
    "imports": "preproc_include@=imports",
}
_CLASS_KEYWORDS = {
    word: word
    for word in ("class", "struct", "enum", "interface", "extension", "actor", "record", "object")
}

# What stands before the first parenthesis: the name of a constructor, the sign of an operator.
_DART_HEADER = "~(?:operator\\s*)?\\S+?(?=\\()"

COMPILED = (
    Language(
        "go",
        "go",
        {
            "function": "function_declaration",
            "method": "method_declaration^receiver.:parameter_declaration.type",
            "type": "type_spec/type type_alias/type",
            "variable": "var_spec/value const_spec/value",
            "imports": "import_declaration@=imports",
        },
        values={"struct_type": "struct", "interface_type": "interface"},
        wrappers="type_declaration var_declaration const_declaration",
        scopes="block",
        step="\t",
    ),
    Language(
        "rust",
        "rs",
        {
            "function": "function_item function_signature_item",
            "struct": "struct_item",
            "enum": "enum_item",
            "union": "union_item",
            "trait": "trait_item",
            "impl": "impl_item@type",
            "module": "mod_item",
            "type": "type_item/type associated_type",
            "constant": "const_item/value static_item/value",
            "macro": "macro_definition",
            "imports": "use_declaration@=imports",
        },
        attributes="attribute_item",
        comments="line_comment block_comment",
        scopes="block",
        habits="braced",
    ),
    Language(
        "java",
        "java",
        {
            "class": "class_declaration",
            "interface": "interface_declaration",
            "enum": "enum_declaration",
            "record": "record_declaration",
            "annotation": "annotation_type_declaration",
            "method": "method_declaration annotation_type_element_declaration",
            "constructor": "constructor_declaration compact_constructor_declaration",
            "imports": "import_declaration@=imports",
        },
        attributes="marker_annotation annotation",
        comments="line_comment block_comment",
        habits="braced",
    ),
    Language(
        "c",
        "c h",
        _C_NODES,
        values={"function_declarator": "prototype"},
        scopes="compound_statement",
        has_conditionals=True,
        habits="braced types",
    ),
    Language(
        "cpp",
        "cc cpp cxx c++ hh hpp hxx h++ ipp inl cu cuh",
        _C_NODES
        | {
            "class": "class_specifier!",
            "namespace": "namespace_definition",
            "concept": "concept_definition",
            "type": f"{_C_NODES['type']} alias_declaration/type",
            "assigned": "field_declaration@declarator*/declarator*=function_declarator",
        },
        values={"function_declarator": "prototype", "operator_cast": "prototype"},
        wrappers="template_declaration friend_declaration",
        attributes="attribute_declaration",
        scopes="compound_statement",
        has_conditionals=True,
        habits="braced types",
    ),
    Language(
        "csharp",
        "cs csx",
        {
            "namespace": "namespace_declaration file_scoped_namespace_declaration",
            "class": "class_declaration",
            "interface": "interface_declaration",
            "struct": "struct_declaration",
            "record": "record_declaration",
            "enum": "enum_declaration",
            "method": "method_declaration operator_declaration@~operator\\s*\\S+?(?=\\()"
            " conversion_operator_declaration@~operator\\s*\\S+?(?=\\()",
            "event": "event_declaration/accessors",
            "function": "local_function_statement",
            "constructor": "constructor_declaration destructor_declaration@~~\\w+",
            "property": "property_declaration/accessors|value"
            " indexer_declaration@=this/accessors|value",
            "delegate": "delegate_declaration",
            "imports": "using_directive@=imports",
        },
        attributes="attribute_list",
        scopes="block",
        has_conditionals=True,
        habits="braced",
    ),
    Language(
        "kotlin",
        "kt kts",
        {
            "keyword": "class_declaration@:type_identifier/:class_body|:enum_class_body",
            "object": "object_declaration@:type_identifier/:class_body"
            " companion_object@:type_identifier|=Companion/:class_body",
            "function": "function_declaration@:simple_identifier/:function_body^:receiver_type",
            "constructor": "secondary_constructor@=constructor/:statements",
            "type": "type_alias@:type_identifier",
            "variable": "property_declaration@:variable_declaration.:simple_identifier",
            "imports": "import_list@=imports",
        },
        keywords=_CLASS_KEYWORDS,
        attributes="annotation",
        comments="line_comment multiline_comment",
        tails="getter setter",
        scopes="function_body class_body enum_class_body lambda_literal",
    ),
    Language(
        "swift",
        "swift",
        {
            "keyword": "class_declaration",
            "protocol": "protocol_declaration",
            "function": "function_declaration protocol_function_declaration",
            "constructor": "init_declaration@=init deinit_declaration@=deinit",
            "type": "typealias_declaration",
            "variable": "property_declaration/value",
            "imports": "import_declaration@=imports",
        },
        keywords=_CLASS_KEYWORDS,
        attributes="attribute",
        comments="comment multiline_comment",
        scopes="function_body class_body enum_class_body lambda_literal",
        has_conditionals=True,
    ),
    Language(
        "scala",
        "scala sc sbt",
        {
            "class": "class_definition",
            "object": "object_definition package_object",
            "trait": "trait_definition",
            "enum": "enum_definition",
            "function": "function_definition function_declaration",
            "given": "given_definition@name|%header/body|:with_template_body",
            "extension": "extension_definition@%header",
            "type": "type_definition/type",
            "variable": "val_definition@pattern/value var_definition@pattern/value",
            "imports": "import_declaration@=imports",
        },
        attributes="annotation",
        comments="comment block_comment",
        scopes="block template_body",
    ),
    Language(
        "haskell",
        "hs",
        {
            "function": "function@name|:infix.:operator|:infix.:infix_id bind signature",
            "type": "data_type newtype type_synonym type_family data_family",
            "class": "class/:class_declarations",
            "instance": "instance/:instance_declarations",
            "imports": "import@=imports",
        },
        comments="comment haddock",
        scopes="local_binds",
        merges="function method imports",
        plain_bodies=True,
        habits="layout",
        mark="--",
    ),
    Language(
        "dart",
        "dart",
        {
            "class": "class_declaration",
            "mixin": "mixin_declaration",
            "extension": "extension_declaration@name|%header extension_type_declaration",
            "enum": "enum_declaration",
            "function": "function_declaration@signature.name"
            " local_function_declaration@:function_signature.name/:function_body"
            " function_signature getter_declaration@:getter_signature.name"
            " setter_declaration@:setter_signature.name"
            " method_declaration@signature.:function_signature.name"
            "|signature.:getter_signature.name|signature.:setter_signature.name"
            f"|{_DART_HEADER}",
            "constructor": f"constructor_signature@{_DART_HEADER}"
            f" constant_constructor_signature@{_DART_HEADER}"
            f" factory_constructor_signature@{_DART_HEADER}"
            f" redirecting_factory_constructor_signature@{_DART_HEADER}",
            "type": "type_alias@:type_identifier",
            "variable": "static_final_declaration/value initialized_variable_definition/value",
            "imports": "import_or_export@=imports",
        },
        wrappers="class_member declaration top_level_variable_declaration"
        " static_final_declaration_list",
        attributes="annotation",
        tails="initializers",
        scopes="block",
        habits="braced commas",
    ),
    Language(
        "solidity",
        "sol",
        {
            "contract": "contract_declaration",
            "interface": "interface_declaration",
            "library": "library_declaration",
            "struct": "struct_declaration",
            "enum": "enum_declaration",
            "function": "function_definition",
            "modifier": "modifier_definition",
            "constructor": "constructor_definition@=constructor"
            " fallback_receive_definition@~[a-z]+",
            "event": "event_definition",
            "error": "error_declaration",
            "variable": "state_variable_declaration/value constant_variable_declaration/value",
            "imports": "import_directive@=imports",
        },
        scopes="function_body",
        habits="braced",
    ),
    Language(
        "zig",
        "zig zon",
        {
            "function": "function_declaration",
            "test": "test_declaration@:string.:string_content|:identifier/:block",
            "variable": "variable_declaration@:identifier/:struct_declaration|:enum_declaration"
            "|:union_declaration|:opaque_declaration|:error_set_declaration",
        },
        values={
            "struct_declaration": "struct",
            "enum_declaration": "enum",
            "union_declaration": "union",
        },
        scopes="block",
        habits="braced",
    ),
)
