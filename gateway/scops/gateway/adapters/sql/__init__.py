"""The gateway's state in SQL."""
