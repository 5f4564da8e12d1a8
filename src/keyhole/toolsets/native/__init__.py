"""The native tools, and what each of them does."""
