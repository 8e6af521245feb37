"""Who calls: tokens of issuers, API keys, and what is kept of principals."""
