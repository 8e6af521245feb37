"""Streams, durables, users and dead letters: what an operator's work on the bus needs."""
