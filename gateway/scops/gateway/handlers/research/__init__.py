"""Use cases of research runs, and the loop that works on them."""
