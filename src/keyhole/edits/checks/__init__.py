"""Checks: what is wrong with the text that an edit leaves, as diagnostics and refusals."""
