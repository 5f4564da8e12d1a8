"""History: what became of a file since a version, conflicts between tasks, and undo."""
