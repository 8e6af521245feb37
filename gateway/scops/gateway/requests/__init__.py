"""Use cases of the API, one file a subject."""
