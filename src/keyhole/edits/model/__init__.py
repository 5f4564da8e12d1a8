"""The request and the plan: what a caller wants done, and what it comes to, file by file."""
