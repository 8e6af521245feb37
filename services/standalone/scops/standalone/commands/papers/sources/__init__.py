"""What scholarly services say of papers, by a port with an adapter for each."""
