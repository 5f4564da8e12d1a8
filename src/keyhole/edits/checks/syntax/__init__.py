"""Syntax: what is wrong with a text as its language reads it, and what of that an edit brought."""
