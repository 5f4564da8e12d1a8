"""A workspace: one directory of files with its locks, journal and caches, as the engine sees it."""
