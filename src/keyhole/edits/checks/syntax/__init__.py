"""Syntax: the errors of a text in its language, and which of them an edit brought."""
