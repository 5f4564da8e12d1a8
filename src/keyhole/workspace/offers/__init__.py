"""Edits that wait: offered to agents by refusals, or queued for a person's word."""
