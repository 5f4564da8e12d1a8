print("Loading...")
