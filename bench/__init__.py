"""Measurements: ratios in one run, and real edits replayed. Not part of the package."""
