"""Edits by quoted text, by line, by hunk or by regular expression."""
