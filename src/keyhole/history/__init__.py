"""History: what became of a file since a version of it, and plans that take entries back."""
