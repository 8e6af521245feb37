"""What the browser costs, and whether it reads what apps show."""
