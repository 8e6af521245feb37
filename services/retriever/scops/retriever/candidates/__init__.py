"""Which passages may be shown: store searches, versions that count, scopes."""
