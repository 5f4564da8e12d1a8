"""The past in the present: where edits lie by now, what came after, which of them an undo means."""
