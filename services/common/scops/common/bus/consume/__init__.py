"""Consuming: subscriptions, pulls, retries, and how far behind a consumer is."""
