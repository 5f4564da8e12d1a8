"""What the HTTP doors share: who may connect, and how they listen."""
