"""Questions about history: versions, differences, what changed in a scope."""
