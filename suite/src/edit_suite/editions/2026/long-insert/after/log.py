needle = 1
needle = 2
