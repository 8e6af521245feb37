"""`scops scope …`: one file for what they are, whose they are and what they were."""
