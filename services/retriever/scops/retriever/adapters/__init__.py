"""Adapters of the retriever's ports."""
