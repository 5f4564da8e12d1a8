"""The request and the plan: what a caller wants done, and the changes of each file."""
