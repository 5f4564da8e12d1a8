"""Edits: from a request to a plan that may be carried out, or to refusals."""
