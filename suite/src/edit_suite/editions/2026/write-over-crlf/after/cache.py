TTL = 1
LIMIT = 2
