"""An alert as HTML, for programs that read mail: what pages say stays text."""

from collections.abc import Iterator
from html import escape

from scops.common.text.printable import printable
from scops.gateway.watches.condition import Alert
from scops.gateway.watches.message import EDITS_MAX, NOTHING, TEXT_CHARACTERS_MAX, AlertMessage
from scops.gateway.watches.watch import News


def html_of(message: AlertMessage) -> str:
    """Returns a message as HTML, without scripts, styles or anything to load."""
    if not message.alerts:
        return f"<p>{NOTHING}</p>"
    return "".join("".join(_alert(message, alert)) for alert in message.alerts)


def _alert(message: AlertMessage, alert: Alert) -> Iterator[str]:
    title = _shown(alert.title) or escape(alert.url)
    yield f"<h3>{alert.news.value}: {title}</h3>"
    yield f"<p>{_link(alert.url, escape(alert.url))}"
    link = message.link_of(alert)
    if link != alert.url:
        yield f" · {_link(link, 'versions')}"
    yield "</p>"
    if alert.news is News.ERROR:
        yield f"<p>It could not be fetched: {_shown(alert.failure)}</p>"
    for edit in alert.edits[:EDITS_MAX]:
        if edit.section_path:
            yield f"<h4>{' › '.join(_shown(part) for part in edit.section_path)}</h4>"
        if edit.from_text:
            yield f"<p>Before: <del>{_shown(edit.from_text)}</del></p>"
        if edit.to_text:
            yield f"<p>After: <ins>{_shown(edit.to_text)}</ins></p>"
    if alert.truncated or len(alert.edits) > EDITS_MAX:
        yield "<p>There are more edits than these.</p>"


def _link(url: str, text: str) -> str:
    if not url.startswith(("https://", "http://")):
        return text
    return f'<a href="{escape(url)}">{text}</a>'


def _shown(text: str) -> str:
    return escape(printable(text, lines=False)[:TEXT_CHARACTERS_MAX])
