"""Words by Unicode's rules: letters with their marks; a character where no spaces are written.

Source: UAX #29, sections 3 and 4. Differs: scripts that need a dictionary (Thai, Lao, Khmer,
Myanmar, Han, Kana) give a word a character, so that a change of one character is seen as one.
"""

import regex

WIDE = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Scripts without spaces, as the inside of a character class."""

LETTERS = rf"(?:(?![{WIDE}])[\p{{L}}\p{{M}}\p{{N}}_])+"
"""A run of letters, marks and digits of the other scripts."""

WIDE_LETTER = rf"[{WIDE}]\p{{M}}*"

WORDS = regex.compile(rf"{WIDE_LETTER}|{LETTERS}")
