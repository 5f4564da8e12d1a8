"""Paths: one name for every spelling, and which paths may be read and written."""
