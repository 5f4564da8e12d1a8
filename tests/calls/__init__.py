"""Calls as models send them: clean ones, the shapes they come in, and what became of each."""
