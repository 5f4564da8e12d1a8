"""Language servers: programs of the user's that know the names of a language."""
