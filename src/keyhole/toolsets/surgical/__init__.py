"""The set `surgical`: targeted edits, patches and insertions."""
