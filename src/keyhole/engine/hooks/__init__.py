"""What hosts say in hooks, each in its own words."""
