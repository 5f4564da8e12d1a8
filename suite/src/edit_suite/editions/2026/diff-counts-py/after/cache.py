"""A small cache with a time to live."""

import time

TTL = 600
LIMIT = 1000


class Cache:
    def __init__(self, ttl=TTL):
        self.ttl = ttl
        self.entries = {}

    def get(self, key):
        entry = self.entries.get(key)
        if entry is None:
            return None
        value, stored = entry
        if time.time() - stored > self.ttl:
            del self.entries[key]
            return None
        return value

    def put(self, key, value):
        while len(self.entries) >= LIMIT:
            self.evict()
        stored = time.time()
        self.entries[key] = (value, stored)

    def evict(self):
        oldest = min(self.entries, key=lambda key: self.entries[key][1])
        del self.entries[oldest]
