"""Plain values: documents, changes, differences, indentation. No disk, no clock."""
