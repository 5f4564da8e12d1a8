"""What was done, by whom and why: the record that makes edits durable, explainable and undoable."""
