"""The command line: each command translates its flags, calls the engine, and prints the answer."""
