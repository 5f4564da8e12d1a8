TTL = 1
