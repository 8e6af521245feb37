"""Which half or fold an entry of a data set falls in, so that what is fitted is judged elsewhere.

Every benchmark cuts by a hash of what must not be divided, and whoever halves the same pages halves
them alike: pages of an extraction set by their site, pages that are asked about by their link.

The two keep hashes of their own, CRC-32 for links and MD5 for sites, and folds take a third: under
another hash half of what constants were fitted to would count as held out. Of these the weights of
blocks and those of the parts of a time came from fits that no script gives again (docs/fitting.md).
"""

import hashlib
import zlib
from urllib.parse import urlsplit

DEVELOPMENT, HELD_OUT = "development", "held_out"


def half_of_site(url: str) -> str:
    """Returns the half that a page of an extraction set is in, the same for all of its site."""
    digest = hashlib.md5(site_of(url).encode(), usedforsecurity=False).digest()
    return HELD_OUT if digest[0] % 2 else DEVELOPMENT


def half_of_link(link: str) -> str:
    """Returns the half that the questions of a page are in, whatever is judged by them."""
    return HELD_OUT if zlib.crc32(link.encode()) % 2 else DEVELOPMENT


def part_of(key: str, parts: int) -> int:
    """Returns the part of a set that a page is in, 0 to `parts` - 1, where a sample is taken."""
    return int(hashlib.md5(key.encode(), usedforsecurity=False).hexdigest(), 16) % parts


def fold_of(key: str, folds: int) -> int:
    """Returns the fold of a cross-validation, 0 to `folds` - 1."""
    return hashlib.sha256(key.encode()).digest()[0] % folds


def site_of(url: str) -> str:
    """Returns the last two labels of a host."""
    host = urlsplit(url).hostname or url
    return ".".join(host.split(".")[-2:])
