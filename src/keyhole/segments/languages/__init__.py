"""Languages: one row of plain values for each; a new language is a new row."""
