"""Real agent hosts against a scripted model: `make hosts`."""
