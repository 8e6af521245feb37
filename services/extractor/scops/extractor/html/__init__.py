"""HTML: its tree, blocks, main text, metadata and links."""
