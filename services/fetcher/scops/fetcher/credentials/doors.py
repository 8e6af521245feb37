"""The door of a login, by which a page is known that asks somebody whom the server forgot."""

import re

# Looked for in the bytes as they came, as the extractor does in the markup.
_PASSWORD = re.compile(rb"""<input\b[^<>]{0,2000}\btype\s*=\s*["']?password""", re.IGNORECASE)


def asks_password(body: bytes) -> bool:
    """Returns whether a page has a field for a password, as the door of a login has."""
    return _PASSWORD.search(body) is not None
