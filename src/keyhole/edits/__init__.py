"""Edits: from the operations of a call to a plan of exact changes."""
