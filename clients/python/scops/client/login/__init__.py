"""Who asks: logging in at an issuer, keeping what it gave, and renewing it."""
