"""Measurements: ratios in one run, and real commits replayed as agents' edits. Not part of the package."""
