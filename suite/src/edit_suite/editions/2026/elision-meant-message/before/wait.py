print("Loading")
