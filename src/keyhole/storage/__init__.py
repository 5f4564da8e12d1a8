"""Storage: a plan carried out all or nothing, and finished or taken back after a crash."""
