"""Code: the segments of languages that have a grammar, read from their syntax trees."""
