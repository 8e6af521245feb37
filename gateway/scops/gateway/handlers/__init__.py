"""Use cases of the API, one file a subject, and what the gateway does with events."""
