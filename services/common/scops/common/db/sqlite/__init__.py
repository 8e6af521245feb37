"""SQLite as the state of a service."""
