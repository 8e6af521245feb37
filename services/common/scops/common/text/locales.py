"""Locales of CLDR, each with data of its own.

babel shares what locales inherit between them, and writes there what it finds by an alias: who has
read the names of Chinese months would meet them among the Italian ones (babel 2.18,
`LocaleDataDict.__getitem__`). So a locale's data is copied before anybody reads it.
"""

from copy import deepcopy
from functools import cache

from babel import Locale, UnknownLocaleError, localedata


@cache
def locale_of(tag: str) -> Locale | None:
    """Returns a language's locale, by a tag such as `de` or `pt_BR`; None for one CLDR lacks."""
    try:
        locale = Locale.parse(tag)
    except (UnknownLocaleError, ValueError):
        return None
    data = localedata.load(str(locale))
    # The dictionary that babel gives everybody who asks for this locale.
    own = deepcopy(data)
    data.clear()
    data.update(own)
    return locale
