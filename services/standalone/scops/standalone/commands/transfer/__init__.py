"""`scops export` and `scops import`: a scope with its pages and versions, as files."""
