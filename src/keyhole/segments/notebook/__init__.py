"""Notebooks: cells with their addresses, and what the language of a cell has in it."""
