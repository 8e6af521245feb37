"""When pages are due again, in SQL."""
