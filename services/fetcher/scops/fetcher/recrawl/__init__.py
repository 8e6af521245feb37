"""When a page is fetched again: how often it changes and what a fresh copy is worth."""
