"""The chunk store in one SQLite file."""
