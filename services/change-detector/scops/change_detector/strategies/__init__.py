"""Change strategies: the port, and the two that are there."""
