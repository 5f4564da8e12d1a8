"""The only home of git: what it knows of a checkout, and how it is run."""
