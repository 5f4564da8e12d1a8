"""Segments: the named parts of a file, and the addresses that find them."""
