"""The set `safe-edit`: one tool with five ways to say an edit."""
