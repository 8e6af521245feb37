"""The index: what the indexer writes and the retriever reads, as ports, values and adapters."""
