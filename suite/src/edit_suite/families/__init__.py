"""The families that an edition is made of: small tables of situations over the same few files."""
