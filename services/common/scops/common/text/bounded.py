"""Bounds what regular expressions repeat, so that no text makes them look at a run twice."""

RUN_CHARACTERS_MAX, WORD_CHARACTERS_MAX = 8, 40
_BOUNDS = {
    r"\s": RUN_CHARACTERS_MAX,
    r"[\s-]": RUN_CHARACTERS_MAX,
    r"\W": RUN_CHARACTERS_MAX,
    r"\w": WORD_CHARACTERS_MAX,
}


def bounded(pattern: str) -> str:
    r"""Returns an expression whose runs of spaces, signs and letters have an end.

    For expressions over words, where longer runs between two words mean nothing: `\s+` stands for
    up to 8 characters, `\w+` for up to 40. Other repetitions are left as they are.
    """
    for of, most in _BOUNDS.items():
        pattern = pattern.replace(f"{of}*", f"{of}{{0,{most}}}")
        pattern = pattern.replace(f"{of}+", f"{of}{{1,{most}}}")
    return pattern
