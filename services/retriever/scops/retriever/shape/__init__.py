"""What a reply looks like: passages put together, duplicates and shortfall told."""
