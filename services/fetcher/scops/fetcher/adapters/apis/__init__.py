"""APIs that are asked for one thing after the other, at the pace that they ask for."""
