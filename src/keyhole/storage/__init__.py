"""Storage: carry out a plan all or nothing, and finish or take it back after a crash."""
