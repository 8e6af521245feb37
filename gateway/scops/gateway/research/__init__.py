"""Research runs: a question for which pages are fetched until they suffice."""
