"""Character encoding of a body: byte order mark, then HTTP, then meta, then detection.

Source: WHATWG Encoding and HTML, section 13.2.3.2; labels by w3lib. Differs: bytes that are
surely UTF-8 are UTF-8, whatever a meta element says; where nothing is declared, bytes that are
valid UTF-8 are UTF-8, and other bytes go to a detector.
"""

import re
from codecs import getincrementaldecoder
from dataclasses import dataclass
from itertools import islice

from charset_normalizer import from_bytes
from w3lib.encoding import html_to_unicode, read_bom, resolve_encoding, to_unicode

from scops.extractor.html.meta_prescan import declared_encoding

DETECTION_BYTES_MAX = 65_536
DETECTION_DEFAULT = "cp1252"
# A stray byte is not worth a flag: one replacement in a thousand characters is.
REPLACEMENT_SHARE_FLAGGED = 0.001
REPLACEMENT = "\ufffd"


# So many characters beyond ASCII in valid UTF-8 do not come about by chance in another encoding.
# A program that recodes a page often leaves its meta element.
UTF8_CHARACTERS_MIN = 16
_MULTIBYTE = re.compile(rb"[\xc2-\xf4]")


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
        encoding = "utf-8" if _surely_utf8(body) else declared_encoding(body) or _detect(body)
        text = to_unicode(body, encoding)
    share = text.count(REPLACEMENT) / len(text) if text else 0.0
    return DecodedBody(text=text, encoding=encoding, replacement_share=share)


def _surely_utf8(body: bytes) -> bool:
    starts = islice(_MULTIBYTE.finditer(body), UTF8_CHARACTERS_MIN)
    if sum(1 for _ in starts) < UTF8_CHARACTERS_MIN:
        return False
    try:
        # The last character of a body that was cut may be half of one.
        getincrementaldecoder("utf-8")().decode(body, final=False)
    except UnicodeDecodeError:
        return False
    return True


def _detect(body: bytes) -> str:
    try:
        body.decode()
    except UnicodeDecodeError:
        best = from_bytes(body[:DETECTION_BYTES_MAX]).best()
        return best.encoding if best else DETECTION_DEFAULT
    return "utf-8"
