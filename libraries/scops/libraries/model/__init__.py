"""The language model port, and the adapter to any OpenAI-compatible endpoint."""
