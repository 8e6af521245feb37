"""Whom a grant, a role or a group names, as people write it."""

KINDS = ("user:", "group:", "service:")


def subject_of(words: str) -> str:
    """Returns a subject as the API names it; an e-mail address alone is a user's."""
    return f"user:{words}" if "@" in words and not words.startswith(KINDS) else words
