"""The journal: a record of every change, in SQLite, that survives crashes and detects damage."""
