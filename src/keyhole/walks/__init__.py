"""Walks: what the engine does for one kind of call, each straight down through the rooms below."""
