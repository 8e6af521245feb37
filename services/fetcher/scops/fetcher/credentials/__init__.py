"""What tells a server who asks: kinds, sealing, and what is answered about it."""
