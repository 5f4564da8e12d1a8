"""Agent hosts as data: where each keeps its configuration, and what it wants to read there."""
