"""Articles of journals in JATS XML."""
