"""Times in languages other than English."""
