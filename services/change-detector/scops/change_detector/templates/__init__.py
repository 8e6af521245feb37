"""What hosts repeat on their pages, and what is left out of chunks because of it."""
