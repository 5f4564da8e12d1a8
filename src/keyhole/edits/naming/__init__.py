"""Edits by name: a segment, or a part of one, and new text that is read against it."""
