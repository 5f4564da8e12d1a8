"""The MCP server: one door for every agent host; each call becomes one walk of the engine."""
