"""Adapters of the retriever."""
