"""Graph evidence: passages joined by what they mention."""
