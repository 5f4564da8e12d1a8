"""Checks: what is wrong with a file as it would stand, and how that is told."""
