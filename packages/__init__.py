"""Packages for agent hosts and their catalogues, made from what the code says: `make packages`."""
