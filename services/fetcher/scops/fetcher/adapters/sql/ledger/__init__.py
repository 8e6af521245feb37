"""Jobs and their outcomes in SQL."""
