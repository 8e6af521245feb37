"""What a chunk mentions: the port, and its extractors by rules, by spaCy and by a model."""
