"""Linters: other people's programs that look at new text before it is written."""
