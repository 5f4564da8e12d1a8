"""Sharing: one history for several workspaces, conflicts between them, leases."""
