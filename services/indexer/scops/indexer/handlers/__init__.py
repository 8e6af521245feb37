"""What the indexer does with verdicts, and with versions that are kept no longer."""
