"""Citations: quotes pinned to versions, and where they stand later."""
