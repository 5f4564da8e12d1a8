"""A small cache with a time to live."""

import time

TTL = 300
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
        if len(self.entries) >= LIMIT:
            self.evict_oldest()
        self.entries[key] = (value, time.time())

    def evict(self):
        oldest = min(self.entries, key=lambda key: self.entries[key][1])
        del self.entries[oldest]
