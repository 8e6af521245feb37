"""Character encoding of a body: byte order mark, then HTTP, then meta, then detection.

Source: WHATWG Encoding and HTML, section 13.2.3.2; labels by w3lib. Differs: where nothing is
declared, bytes that are valid UTF-8 are UTF-8, and other bytes go to a detector.
"""

from dataclasses import dataclass

from charset_normalizer import from_bytes
from w3lib.encoding import html_to_unicode, read_bom, resolve_encoding, to_unicode

from scops.extractor.html.meta_prescan import declared_encoding

DETECTION_BYTES_MAX = 65_536
DETECTION_DEFAULT = "cp1252"
# A stray byte is not worth a flag: one replacement in a thousand characters is.
REPLACEMENT_SHARE_FLAGGED = 0.001
REPLACEMENT = "\ufffd"


@dataclass(frozen=True, slots=True)
class DecodedBody:
    """A body as characters."""

    text: str
    encoding: str
    # Share of characters that stand for bytes without meaning in the encoding, in [0, 1].
    replacement_share: float

    @property
    def damaged(self) -> bool:
        """Whether so much was lost that readers should know."""
        return self.replacement_share >= REPLACEMENT_SHARE_FLAGGED


def decode_body(body: bytes, *, media_type: str, charset: str) -> DecodedBody:
    """Decodes a body.

    Args:
        charset: as HTTP declared it; empty when it did not.
    """
    if read_bom(body)[0] or (charset and resolve_encoding(charset)):
        header = f"{media_type}; charset={charset}" if charset else media_type
        encoding, text = html_to_unicode(header, body)
    else:
        encoding = declared_encoding(body) or _detect(body)
        text = to_unicode(body, encoding)
    share = text.count(REPLACEMENT) / len(text) if text else 0.0
    return DecodedBody(text=text, encoding=encoding, replacement_share=share)


def _detect(body: bytes) -> str:
    try:
        body.decode()
    except UnicodeDecodeError:
        best = from_bytes(body[:DETECTION_BYTES_MAX]).best()
        return best.encoding if best else DETECTION_DEFAULT
    return "utf-8"
