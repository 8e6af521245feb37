"""Papers: found by scholarly services, taken into scopes, and cited."""
