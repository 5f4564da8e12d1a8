"""The pages: each a function from what the engine says to HTML."""
