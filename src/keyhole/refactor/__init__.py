"""What libraries know of the names of a language, without running code of the tree."""
