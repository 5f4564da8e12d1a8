"""Sweeps: one mechanical change at every place of many files, previewed and then carried out."""
