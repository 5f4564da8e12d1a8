"""Linting: which linters run on a call, who trusts them, and checks of files as they are."""
