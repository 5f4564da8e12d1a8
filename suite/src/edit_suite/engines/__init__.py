"""Engines: servers, programs and libraries that edit files, each behind the same few verbs."""
