"""Going back to a prompt, a checkpoint or a time."""
