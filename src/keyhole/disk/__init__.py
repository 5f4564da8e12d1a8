"""The disk: system calls, reading with metadata, flushing, locks; one file at a time."""
