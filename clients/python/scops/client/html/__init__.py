"""Answers and differences as HTML, for notebooks: what a page says is escaped, always."""
