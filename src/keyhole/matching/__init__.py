"""Where is it: quoted text to one place in a file, by equivalences and never by scores."""
