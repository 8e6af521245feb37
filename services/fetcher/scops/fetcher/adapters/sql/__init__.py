"""The fetcher's state in SQL."""
