"""What a tree held when somebody looked: the kept tree, what is kept out of it, and the marks."""
