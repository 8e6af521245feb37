"""What sort of body and page this is."""
