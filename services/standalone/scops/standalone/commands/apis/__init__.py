"""What imports from official APIs share: asking politely, and asking for what changed alone."""
