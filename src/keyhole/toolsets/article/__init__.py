"""The sets `article` and `sections`: tools for one long document."""
