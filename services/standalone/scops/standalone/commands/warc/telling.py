"""Tells what became of the observations of an import."""

from typing import Any

from rich.markup import escape

from scops.standalone.terminal.output import line


def tell_tally(tally: dict[str, Any], *, what: str, nothing: str) -> None:
    """Prints the counts of a tally, and why some of it was refused or left out.

    Args:
        tally: the fields of a `RecordTally`; those that are zero are not told.
        what: came from where into which scope.
        nothing: stands for counts where there are none.
    """
    counts = {name: value for name, value in tally.items() if isinstance(value, int) and value}
    said = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items())
    line(escape(f"{what}: {said or nothing}"))
    for title, whys in (("refused", tally["refused"]), ("left out", tally["left_out"])):
        if whys:
            words = "; ".join(f"{count} {why}" for why, count in sorted(whys.items()))
            line(f"[dim]{title}: {escape(words)}[/dim]")
