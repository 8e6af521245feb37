"""The rows of the index that the indexer writes and the retriever reads."""
