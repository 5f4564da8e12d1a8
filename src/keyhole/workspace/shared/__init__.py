"""What workspaces of one project tell each other: who they are, what they did, what they claim."""
