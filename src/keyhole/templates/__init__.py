"""Templates: what a new file is made from, what it asks for, and what it becomes."""
