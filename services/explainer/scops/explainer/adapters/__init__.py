"""Adapters of the explainer."""
