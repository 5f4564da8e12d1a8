"""Judge servers and programs that edit files for agents, by the bytes they leave on disk."""

__version__ = "2026.1"
EDITION = "2026"
