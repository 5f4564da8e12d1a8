"""The sets `text` and `text-files`: tools for the notes of a vault."""
