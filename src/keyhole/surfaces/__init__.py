"""Doors to the engine: each translates a request, calls the engine, renders the receipt."""
