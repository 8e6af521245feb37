"""Scores of passages, as parts that add up."""
