"""Headers of hostile origin, as values that are safe to store, to send back and to publish."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

TEXT_CHARACTERS_MAX = 1000
VALIDATOR_CHARACTERS_MAX = 500

_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([a-z0-9_.:+-]{1,40})", re.IGNORECASE)
_MEDIA_TYPE = re.compile(r"[a-z0-9!#$&^_.+-]{1,100}/[a-z0-9!#$&^_.+-]{1,100}")
# RFC 9110 section 8.8.3 allows bytes above ASCII; those that are no UTF-8 cannot be stored.
_VALIDATOR = re.compile(r"[\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]+")
_DELAY_SECONDS = re.compile(r"[0-9]{1,9}")


def media_type(content_type: str) -> str:
    """Returns the media type of a Content-Type header, lower case; empty where it has none."""
    found = content_type.partition(";")[0].strip().lower()
    return found if _MEDIA_TYPE.fullmatch(found) else ""


def charset(content_type: str) -> str:
    """Returns the charset of a Content-Type header, lower case; empty where it has none."""
    found = _CHARSET.search(content_type)
    return found[1].lower() if found else ""


def header_text(value: str) -> str:
    """Returns a header as valid Unicode without control characters, cut to a bound.

    aiohttp passes bytes that are not UTF-8 as surrogates, which no message may hold.
    """
    readable = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return "".join(c for c in readable[:TEXT_CHARACTERS_MAX] if c.isprintable()).strip()


def location_text(value: str) -> str:
    """Returns a Location header; bytes that are not UTF-8 are read as Latin-1."""
    raw = value.encode("utf-8", "surrogateescape")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def validator(value: str) -> str:
    """Returns an ETag or Last-Modified header, or nothing where it cannot be sent back."""
    value = value.strip()
    usable = len(value) <= VALIDATOR_CHARACTERS_MAX and _VALIDATOR.fullmatch(value)
    return value if usable else ""


def http_time(value: str) -> datetime | None:
    """Returns the instant of an HTTP date (RFC 9110 section 5.6.7), in UTC; None if none."""
    try:
        parsed = parsedate_to_datetime(value[:VALIDATOR_CHARACTERS_MAX])
        return parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError, IndexError):
        return None


def retry_after_seconds(value: str, now: datetime) -> float | None:
    """Returns the delay of a Retry-After header (RFC 9110 section 10.2.3), >= 0; None if none."""
    value = value.strip()
    if _DELAY_SECONDS.fullmatch(value):
        return float(value)
    instant = http_time(value) if value else None
    return None if instant is None else max((instant - now).total_seconds(), 0.0)
