"""Licences of papers as services write them, in one normal form."""

import re

_SEPARATORS = re.compile(r"[\s_/-]+")
_PARTS = ("by", "nc", "nd", "sa")
_CC_PLACE = "creativecommons.org/"
_CC_URL = "https://creativecommons.org/licenses/{}/{}/"
ZERO_URL = "https://creativecommons.org/publicdomain/zero/1.0/"
_ZERO = ("cc0", "cc-0", "cc-zero", "publicdomain-zero")
_VERSION = re.compile(r"[1-4]\.[0-9]")


def normal_licence(said: object) -> str:
    """Returns a licence such as `cc-by-nc`, `cc-by-4.0`, `cc0`, else what was said, in lower case.

    Args:
        said: such as `CCBYNC`, `cc by`, or a URL of Creative Commons; none where it is no text.
    """
    text = said.strip().lower() if isinstance(said, str) else ""
    if _CC_PLACE in text:
        text = text.partition(_CC_PLACE)[2].removeprefix("licenses/").strip("/")
        text = text if text.startswith("publicdomain") else f"cc-{text}"
    elif text.startswith(("http://", "https://")):
        return text
    words = _SEPARATORS.sub("-", text).strip("-")
    if words.startswith(_ZERO):
        return "cc0"
    if words.startswith("ccby"):
        # As Semantic Scholar writes them: CCBYNCND.
        run = words.removeprefix("cc")
        words = "-".join(("cc", *(run[at : at + 2] for at in range(0, len(run), 2))))
    return words


def is_free_licence(licence: str) -> bool:
    """Says whether a licence of Creative Commons lets the text be passed on."""
    return licence == "cc0" or licence.startswith("cc-by") or licence in ("public-domain", "pd")


def licence_url(licence: str) -> str:
    """Returns where a licence stands; empty where its version or place is not known."""
    if licence.startswith(("http://", "https://")):
        return licence
    if licence == "cc0":
        return ZERO_URL
    parts = licence.split("-")
    version = next((part for part in parts if _VERSION.fullmatch(part)), "")
    kinds = [part for part in parts if part in _PARTS]
    return _CC_URL.format("-".join(kinds), version) if version and kinds else ""
