"""What a page's own history says of its blocks."""
