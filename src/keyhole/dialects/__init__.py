"""How did the agent write it: each dialect turns its requests into the engine's operations."""
