"""Watches: who wants to be told of which changes, how often and where."""
