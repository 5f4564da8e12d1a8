"""Staging: the steps that carry out a plan, and what a dead transaction left behind."""
