"""Writes the names of months that `scops.common.text.ordinal_days` knows, from CLDR (babel).

They are a file, so that no process reads the locales of sixteen languages for them.
"""

import textwrap
from pathlib import Path

from babel import Locale

FILE = Path(__file__).parents[1] / "services/common/scops/common/text" / "month_names.py"
# Languages whose dates have "d. MMMM" in CLDR, and that are written on more than a few pages.
LANGUAGES = (
    *("cs", "da", "de", "et", "fi", "fo", "gsw", "hr"),
    *("is", "lb", "lv", "nb", "nds", "nn", "sk", "sl"),
)
# With the indent, quotes and a space, 100.
LINE_CHARACTERS = 93


def month_names(width: str) -> set[str]:
    """Returns the names of a width, `wide` or `abbreviated`, in lower case without full stops."""
    return {
        name.rstrip(".").lower()
        for language in LANGUAGES
        for context in Locale(language).months.values()
        for name in context.get(width, {}).values()
    }


def written() -> str:
    """Returns the file."""
    wide = month_names("wide")
    return (
        '"""Names of months of languages that write days with a full stop, in lower case.\n\n'
        f"Source: CLDR, of {' '.join(LANGUAGES)}; written by tools/month_names.py.\n"
        '"""\n\n'
        "# Whole names, in every case that dates have.\n"
        + _set("WHOLE", wide)
        + "# Abbreviations that are no whole name, without their full stop.\n"
        + _set("SHORT", month_names("abbreviated") - wide)
    )


def _set(name: str, values: set[str]) -> str:
    lines = textwrap.wrap(" ".join(sorted(values)), LINE_CHARACTERS)
    text = "\n".join(f'    "{line} "' for line in lines)
    return f"{name} = (\n{text}\n)\n"


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
