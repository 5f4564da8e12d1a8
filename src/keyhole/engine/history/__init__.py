"""History: transactions listed, shown, compared, exported and taken back."""
