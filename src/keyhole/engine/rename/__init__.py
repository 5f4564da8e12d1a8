"""Renames: a symbol with its definition, imports and uses, found by who knows the language."""
