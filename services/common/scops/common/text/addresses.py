"""Addresses that are shown: without who they are opened as."""

import re

# Bounds keep it linear: pages choose some of the texts.
# What our own messages write in the place of it is no secret.
_USERINFO = re.compile(
    r"(?<![a-zA-Z0-9+.-])([a-zA-Z][a-zA-Z0-9+.-]{0,30}://)(?!user:password@)[^/?#\s'\"<>]{1,512}@"
)
MASKED = r"\1***@"


def without_userinfo(text: str) -> str:
    """Returns a text with `***` for user and password of every URL in it (RFC 3986, 3.2.1)."""
    return _USERINFO.sub(MASKED, text) if "@" in text else text
