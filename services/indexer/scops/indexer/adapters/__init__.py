"""Adapters of the indexer's ports."""
