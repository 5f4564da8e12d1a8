"""Sharing: a journal that several workspaces and machines write to."""
