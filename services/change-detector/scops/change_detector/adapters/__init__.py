"""The change-detector's state in SQL, and its CPU work in threads."""
