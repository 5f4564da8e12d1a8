"""What shall happen: an edit as the agent means it, and the plan of exact changes it comes to."""
