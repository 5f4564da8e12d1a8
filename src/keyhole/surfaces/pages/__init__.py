"""Diffs and what stands around them as HTML: for the review page and for cards in a host."""
