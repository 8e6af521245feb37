"""Matching sequences and texts: what several rooms compare with."""
