"""Renders a difference as one HTML page that needs nothing else."""

from collections.abc import Iterable
from html import escape

from scops.api.v1alpha1 import page_service_pb2 as pb

_TAGS = {pb.DiffPart.KIND_DELETE: "del", pb.DiffPart.KIND_INSERT: "ins"}
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.2rem}section{border-left:4px solid #ccc;margin:1rem 0;padding:0 1rem}"
    "section.critical{border-color:#b00020}section.lexical{border-color:#c77700}"
    "h2{font-size:.9rem;color:#555;margin:0}p{white-space:pre-wrap;margin:.3rem 0}"
    "del{background:#ffe0e0;color:#900}ins{background:#dff5df;color:#060;text-decoration:none}"
)


def diff_html(answer: pb.DiffPageVersionsResponse, *, uri: str) -> str:
    """Returns the page; every word of the versions is escaped."""
    hunks = "\n".join(_hunk(hunk) for hunk in answer.hunks) or "<p>no difference</p>"
    more = "<p>The difference is longer than this.</p>" if answer.truncated else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(uri)}</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>{escape(uri)}</h1>\n<p>{escape(answer.from_version)} → "
        f"{escape(answer.to_version)}</p>\n{hunks}\n{more}</body></html>\n"
    )


def _hunk(hunk: pb.DiffHunk) -> str:
    reasons = ", ".join(hunk.change_reasons).replace("_", " ")
    where = " › ".join(hunk.section_path)
    heading = " · ".join(part for part in (where, hunk.change_class, reasons) if part)
    return (
        f'<section class="{escape(hunk.change_class)}"><h2>{escape(heading)}</h2>'
        f"<p>{_words(hunk.parts)}</p></section>"
    )


def _words(parts: Iterable[pb.DiffPart]) -> str:
    words = []
    for part in parts:
        tag = _TAGS.get(part.kind)
        text = escape(part.text)
        words.append(f"<{tag}>{text}</{tag}>" if tag else text)
    return "".join(words)
