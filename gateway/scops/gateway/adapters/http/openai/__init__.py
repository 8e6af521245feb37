"""OpenAI's form of the API: models, chat completions, responses and embeddings."""
