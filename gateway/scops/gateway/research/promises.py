"""Whether what an answer quotes is only what links say: a promise of an answer, and none itself."""

from collections.abc import Iterable

from scops.common.text.terms import content_terms, words

# Words that a quote has beside the texts of links, from which on it says something itself.
OWN_WORDS_MIN = 2


def is_promise(quote: str, link_texts: Iterable[str]) -> bool:
    """Returns whether a quote says hardly more than the texts of links that it is made of.

    Args:
        link_texts: of links on the page that is quoted.
    """
    said = _spaced(quote)
    promised = frozenset[str]()
    for text in link_texts:
        link = _spaced(text)
        # A link's text may hold more than a quote does, or be one of several in it.
        if link.strip() and (link in said or said in link):
            promised |= content_terms(text)
    return bool(promised) and len(content_terms(quote) - promised) < OWN_WORDS_MIN


def _spaced(text: str) -> str:
    """Returns the words of a text, such that one is within another by whole words alone."""
    return f" {' '.join(words(text))} "
