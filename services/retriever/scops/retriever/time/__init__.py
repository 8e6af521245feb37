"""Time in questions and passages."""
