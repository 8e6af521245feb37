"""What a document states of itself, and of its dates above all."""
