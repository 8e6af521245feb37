"""Who changed what: a chain of entries, before and after each call that changes anything."""
