"""What every HTTP door of this machine shares: who may speak to it, and how it listens."""
