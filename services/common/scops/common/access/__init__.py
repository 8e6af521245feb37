"""Who calls, what they may, and how their identity travels between roles."""
