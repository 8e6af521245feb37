"""PDF: pieces of text with their places, and the lines and blocks that they make."""
