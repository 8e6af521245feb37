"""Pages, their names and hosts in SQL."""
