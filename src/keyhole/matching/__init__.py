"""Matching: find the one place of a quoted text, by equivalences and never by scores."""
