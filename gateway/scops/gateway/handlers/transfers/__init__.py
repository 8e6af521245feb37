"""Pages with their versions, given out and taken in."""
