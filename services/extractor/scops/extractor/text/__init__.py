"""Text as it is kept: encodings, characters that nobody sees, plain text."""
