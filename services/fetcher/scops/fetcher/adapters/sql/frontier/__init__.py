"""The frontier in SQL."""
