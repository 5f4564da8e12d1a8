"""Faults that keyhole once had, each planted again by one function, for the harnesses to find."""
