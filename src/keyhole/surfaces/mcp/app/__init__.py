"""The card of an edit in hosts that show MCP Apps: its diff and reason, undo, keep and reject."""
