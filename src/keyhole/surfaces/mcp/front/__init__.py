"""The front: greets clients at once with the standard library alone, and outlives the engine."""
