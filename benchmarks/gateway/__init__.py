"""What the door costs, and what it does when too much is asked."""
