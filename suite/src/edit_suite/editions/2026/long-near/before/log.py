needle = 1
