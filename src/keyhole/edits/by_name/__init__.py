"""Edits by the name of a segment: which file for which action and language family.

- replace or delete a segment, any language: named, compose, fitting, reading
- add before or after a segment: beside, separators, attached
- add at the top or the bottom of a body: inside
- one part alone: body, signature, doc, decorators: parts, doc_comments, attached
- keys and items of JSON, YAML and TOML: keys, tokens
- sections, lists, tables and code of Markdown: sections
- blocks that a template made: template_blocks
- structural patterns: pattern
- what an edit took away without naming it: lost
"""
