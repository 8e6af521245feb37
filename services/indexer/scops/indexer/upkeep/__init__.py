"""The index against what it is made of: sweeping, reconciling, rebuilding, rechecking."""
