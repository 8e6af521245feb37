"""What a request may name and ask for: resource names, limits, page tokens, repeat keys."""
