"""Where is it: quoted text to one place in a file, by rungs that are equivalences and never scores."""
