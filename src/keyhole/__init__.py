"""Surgical file edits: the public names, each loaded on first use."""

__version__ = "0.1.0"
