"""Which links may lead to the answer of a question."""
