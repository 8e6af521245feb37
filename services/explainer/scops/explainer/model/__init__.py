"""Answers worded by a language model and held against the passages."""
