"""Whose call is served now: a budget for each principal, and no more at once than stays fast."""
