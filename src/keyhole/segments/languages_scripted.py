"""Rows of the table of languages: scripts, markup and configuration."""

from __future__ import annotations

from keyhole.segments.language import Language

_JS_FUNCTIONS = {
    "arrow_function": "function",
    "function_expression": "function",
    "generator_function": "function",
    "class": "class",
}
_JS_NODES = {
    "function": "function_declaration generator_function_declaration",
    "class": "class_declaration",
    "method": "method_definition",
    "variable": "variable_declarator/value",
    "assigned": "assignment_expression@left/right pair@key/value",
    "imports": "import_statement@=imports",
}
_TS_NODES = {
    "function": f"{_JS_NODES['function']} function_signature",
    "class": "class_declaration abstract_class_declaration",
    "interface": "interface_declaration",
    "type": "type_alias_declaration/value",
    "enum": "enum_declaration",
    "namespace": "internal_module module",
    "method": "method_definition method_signature abstract_method_signature",
    "variable": "variable_declarator/value",
    "assigned": f"{_JS_NODES['assigned']} public_field_definition@name/value",
    "imports": "import_statement@=imports",
}
_JS_WRAPPERS = "export_statement lexical_declaration variable_declaration expression_statement"

SCRIPTED = (
    Language(
        "javascript",
        "js mjs cjs jsx",
        _JS_NODES | {"assigned": f"{_JS_NODES['assigned']} field_definition@property/value"},
        programs="node nodejs deno bun",
        values=_JS_FUNCTIONS,
        wrappers=_JS_WRAPPERS,
        attributes="decorator",
        scopes="statement_block",
    ),
    Language(
        "typescript",
        "ts mts cts",
        _TS_NODES,
        programs="ts-node tsx",
        values=_JS_FUNCTIONS,
        wrappers=f"{_JS_WRAPPERS} ambient_declaration",
        attributes="decorator",
        scopes="statement_block",
    ),
    Language(
        "tsx",
        "tsx",
        _TS_NODES,
        values=_JS_FUNCTIONS,
        wrappers=f"{_JS_WRAPPERS} ambient_declaration",
        attributes="decorator",
        scopes="statement_block",
    ),
    Language(
        "ruby",
        "rb rake gemspec ru",
        {
            "module": "module",
            "class": "class",
            "method": "method singleton_method",
            "constant": "assignment@left=constant/right",
        },
        files="gemfile rakefile guardfile podfile vagrantfile brewfile",
        programs="ruby",
        scopes="block do_block",
        plain_bodies=True,
    ),
    Language(
        "php",
        "php phtml php5 php7 php8",
        {
            "namespace": "namespace_definition!",
            "class": "class_declaration",
            "interface": "interface_declaration",
            "trait": "trait_declaration",
            "enum": "enum_declaration",
            "method": "method_declaration",
            "function": "function_definition",
            "constant": "const_declaration@:const_element.:name/:const_element",
            "imports": "namespace_use_declaration@=imports",
        },
        programs="php",
        attributes="attribute_list",
        scopes="compound_statement",
    ),
    Language(
        "bash",
        "sh bash zsh ksh bats",
        {"function": "function_definition", "variable": "variable_assignment/value"},
        files=".bashrc .bash_profile .bash_aliases .profile .zshrc .zprofile .envrc pkgbuild",
        programs="sh bash zsh ksh dash",
        wrappers="declaration_command",
        scopes="compound_statement command if_statement for_statement while_statement"
        " case_statement subshell c_style_for_statement command_substitution",
    ),
    Language(
        "lua",
        "lua",
        {
            "function": "function_declaration",
            "variable": "assignment_statement@:variable_list/:expression_list.value",
        },
        programs="lua luajit",
        values={"function_definition": "function"},
        wrappers="variable_declaration",
        scopes="block",
        plain_bodies=True,
    ),
    Language(
        "elixir",
        "ex exs",
        {
            "keyword": "call@:arguments.:binary_operator.left.target|:arguments.:call.target"
            "|:arguments.:binary_operator.left|:arguments.:*/:do_block",
        },
        files="mix.lock",
        programs="elixir",
        keywords={
            "defmodule": "module",
            "defprotocol": "protocol",
            "defimpl": "impl",
            "def": "function",
            "defp": "function",
            "defmacro": "macro",
            "defmacrop": "macro",
            "defguard": "macro",
            "defdelegate": "function",
            "defstruct": "struct",
        },
        attributes="unary_operator=@(?:doc|spec|impl|deprecated|since|typedoc|decorate)\\b",
        scopes="anonymous_function",
    ),
    Language(
        "nix",
        "nix",
        {"key": "binding@attrpath/expression"},
    ),
    Language(
        "hcl",
        "tf tfvars hcl nomad",
        {"block": "block@%words/:body", "key": "attribute@:identifier/:expression"},
        plain_bodies=True,
    ),
    Language(
        "html",
        "html htm xhtml vue svelte",
        {
            "element": "element@%tag/%content script_element@%tag/%content"
            " style_element@%tag/%content"
        },
        join=" / ",
        plain_bodies=True,
        splits=False,
    ),
    Language(
        "css",
        "css",
        {
            "rule": "rule_set@:selectors/:block",
            "at_rule": "media_statement@%header/:block supports_statement@%header/:block"
            " at_rule@%header/:block keyframes_statement@%header/:keyframe_block_list",
        },
        join=" / ",
        splits=False,
    ),
    Language(
        "json",
        "json jsonc json5 webmanifest geojson ipynb code-workspace babelrc eslintrc",
        {"key": "pair@key/value"},
        files=".babelrc .eslintrc .prettierrc composer.lock pipfile.lock",
        comments="",
        lists="array",
        items="object array",
        splits=False,
        recovers=False,
    ),
    Language(
        "yaml",
        "yaml yml",
        {
            "key": "block_mapping_pair@key/value flow_pair@key/value",
        },
        files=".clang-format .clang-tidy .yamllint citation.cff",
        comments="",
        lists="block_sequence",
        items="block_sequence_item",
        splits=False,
    ),
)
