"""Edits damaged as models damage them, on real files, where the right bytes are known beforehand.

Nothing here uses keyhole's own matching: a truth comes from how a trial is made.
"""
