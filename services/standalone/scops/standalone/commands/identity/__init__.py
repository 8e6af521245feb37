"""Who asks, keys, and who is what in the installation."""
