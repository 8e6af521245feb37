"""The shared kernel: what every service stands on, and nothing that knows a service."""
