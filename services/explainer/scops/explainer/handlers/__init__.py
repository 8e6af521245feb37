"""The use cases: Answer, Explain and Resolve."""
