"""What can be quoted of a passage, and which quotes answer a question."""
