"""What others did to the tree: looked for, recorded, and told to those who have not seen it."""
