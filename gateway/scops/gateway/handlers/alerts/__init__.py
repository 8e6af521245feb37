"""What becomes of watches: asked for by callers, looked through for news, sent."""
