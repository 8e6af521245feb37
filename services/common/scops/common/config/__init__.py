"""Settings from the environment, and the settings that all processes share."""
