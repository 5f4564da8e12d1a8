needle = 2
