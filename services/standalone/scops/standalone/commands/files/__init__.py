"""`scops add`: files of a machine as pages of a scope."""
