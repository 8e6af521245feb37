"""PostgreSQL as the state of a service."""
