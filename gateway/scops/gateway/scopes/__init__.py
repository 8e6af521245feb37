"""Scopes as the gateway checks and stores them."""
