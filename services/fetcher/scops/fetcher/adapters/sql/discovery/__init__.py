"""Links and listings in SQL."""
