"""Who calls, and what of the rows may leave."""
