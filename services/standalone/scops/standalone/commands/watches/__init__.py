"""`scops watch …`: being told of changes."""
