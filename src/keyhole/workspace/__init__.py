"""The only room that touches the disk: paths, locks, the journal, commits, undo."""
