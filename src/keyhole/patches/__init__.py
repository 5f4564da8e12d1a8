"""Patches: formats that agents send, each read into operations."""
