"""Differences and changes as HTML."""

from html import escape

from scops.client.html.parts import at, facts, line, link, quote, section, view, words
from scops.client.values.pages import Changes, DiffHunk, PageChange, PageDiff, TextEdit

MORE = "There is more than this."
EDITS_SHOWN = 5


def diff_html(diff: PageDiff) -> str:
    """Returns two versions of a page, word by word."""
    versions = f"<code>{escape(diff.from_version)}</code> → <code>{escape(diff.to_version)}</code>"
    hunks = "".join(map(hunk_html, diff.hunks)) or line("no difference")
    return view(facts(versions), hunks, line(MORE if diff.truncated else "", kind="facts"))


def hunk_html(hunk: DiffHunk) -> str:
    """Returns one changed block."""
    return quote(
        words(hunk.parts),
        kinds=(hunk.change_class,),
        below=_reasons(hunk.change_class, hunk.change_reasons, hunk.section_path),
    )


def changes_html(changes: Changes) -> str:
    """Returns the pages that changed, by falling weight."""
    rest = (
        _count(changes.suppressed, "changed in what does not count"),
        _count(changes.returned, "changed and changed back"),
        MORE if changes.truncated else "",
    )
    pages = "".join(map(_page, changes.changes)) or line("nothing changed")
    return view(pages, facts(*map(escape, rest)))


def _page(change: PageChange) -> str:
    head = facts(
        f"<strong>{escape(change.news)}</strong>",
        link(change.uri, change.title),
        at("after", change.changed_after_time),
        at("seen by", change.observed_time),
    )
    edits = "".join(map(_edit, change.edits[:EDITS_SHOWN]))
    hidden = len(change.edits) - EDITS_SHOWN
    return head + edits + line(f"{hidden} edits more" if hidden > 0 else "", kind="facts")


def _edit(edit: TextEdit) -> str:
    runs = [
        f"<{tag}>{escape(text)}</{tag}>"
        for tag, text in (("del", edit.from_text), ("ins", edit.to_text))
        if text
    ]
    return quote(
        " ".join(runs),
        kinds=(edit.change_class,),
        below=_reasons(edit.change_class, edit.reasons, edit.section_path),
    )


def _reasons(change_class: str, reasons: tuple[str, ...], path: tuple[str, ...]) -> str:
    said = ", ".join(reasons).replace("_", " ")
    return facts(section(path), escape(change_class), escape(said))


def _count(number: int, what: str) -> str:
    return f"{number} {'page' if number == 1 else 'pages'} {what}" if number else ""
