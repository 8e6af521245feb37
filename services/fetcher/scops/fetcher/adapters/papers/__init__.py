"""What scholarly services say of papers: the paper source, with an adapter for each."""
