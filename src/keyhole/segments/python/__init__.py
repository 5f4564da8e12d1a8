"""Python: segments read from lines and strings, also where a file does not compile."""
