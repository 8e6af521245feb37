"""Keyphrases of a text: the phrases that say what it is about."""
