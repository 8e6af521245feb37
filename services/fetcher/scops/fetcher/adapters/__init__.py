"""Adapters of the fetcher: each file joins one port to one technology."""
