"""Answers: what the engine gives back, as data and as text that say the same."""
