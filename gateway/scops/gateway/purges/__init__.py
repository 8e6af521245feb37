"""Purges as seen from outside, and what none of them lets out."""
