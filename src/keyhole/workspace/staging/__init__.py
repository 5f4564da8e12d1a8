"""Files on their way: the steps of a commit, who came between, what a crash left behind."""
