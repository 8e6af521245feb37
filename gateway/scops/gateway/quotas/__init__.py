"""What each principal may have: what they hold at any time, and what they spend in a day."""
