"""What an answer says beside its quotes: freshness, gaps, lineage, the reasons of ranks."""
