"""Linters: other programs that look at new text before it is written."""
