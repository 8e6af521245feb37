"""What a receiver is sent: JSON for programs, text for people."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from scops.common.contract.messages.change import TextEdit
from scops.common.text.printable import printable
from scops.gateway.watches.condition import Alert
from scops.gateway.watches.watch import News, Watch

CHANGES, TEST = "changes", "test"
# Receivers and mail servers take so much; beyond it, edits are left out from the lightest on.
BODY_BYTES_MAX = 256 * 1024
EDITS_MAX = 20
SUBJECT_CHARACTERS_MAX = 120
TITLE_CHARACTERS_MAX = 200
TEXT_CHARACTERS_MAX = 600
NOTHING = "This message tries whether the watch reaches you. Nothing has changed."


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertMessage:
    """One message.

    Attributes:
        alerts: empty for one that tries the way.
        sent_time: of this attempt.
        web_url: where people open the web page; empty where nobody said.
    """

    delivery_id: str
    watch: Watch
    alerts: Sequence[Alert]
    sent_time: datetime
    web_url: str = ""

    @property
    def kind(self) -> str:
        """What it is for: `changes` or `test`."""
        return CHANGES if self.alerts else TEST

    def json_body(self) -> bytes:
        """Returns what a webhook carries, of at most `BODY_BYTES_MAX`."""
        edits = EDITS_MAX
        while True:
            body = json.dumps(self._payload(edits), ensure_ascii=False).encode()
            if len(body) <= BODY_BYTES_MAX or not edits:
                return body
            edits //= 2

    def subject(self) -> str:
        """Returns a line that says what it is about."""
        name = self.watch.display_name or self.watch.scope_id or "a page"
        if not self.alerts:
            return _line(f"Scops: a test of the watch of {name}")
        if len(self.alerts) == 1:
            only = self.alerts[0]
            return _line(f"{only.news.value}: {only.title or only.url} ({name})")
        return _line(f"{len(self.alerts)} pages changed in {name}")

    def text(self) -> str:
        """Returns the whole for people, as plain text."""
        if not self.alerts:
            return f"{NOTHING}\n"
        return "\n".join("\n".join(self._lines(alert)) + "\n" for alert in self.alerts)

    def link_of(self, alert: Alert) -> str:
        """Returns where the change is shown with both texts, or the page where nobody said."""
        return f"{self.web_url}/pages/{alert.page_id}" if self.web_url else alert.url

    def _payload(self, edits_max: int) -> dict[str, Any]:
        watch = self.watch
        return {
            "type": self.kind,
            "timestamp": _instant(self.sent_time),
            "data": {
                "watch": f"watches/{watch.watch_id}",
                "displayName": watch.display_name,
                "scope": f"scopes/{watch.scope_id}" if watch.scope_id else "",
                "changes": [self._change(alert, edits_max) for alert in self.alerts],
            },
        }

    def _change(self, alert: Alert, edits_max: int) -> dict[str, Any]:
        return {
            "news": alert.news.value,
            "page": f"pages/{alert.page_id}",
            "uri": alert.url,
            "link": self.link_of(alert),
            "title": alert.title,
            "fromVersion": alert.from_version,
            "toVersion": alert.to_version,
            "observedTime": _instant(alert.observed_time),
            "changeReasons": list(alert.reasons),
            "salience": alert.salience,
            "edits": [_edit(edit) for edit in alert.edits[:edits_max]],
            "truncated": alert.truncated or len(alert.edits) > edits_max,
            "failure": alert.failure,
        }

    def _lines(self, alert: Alert) -> Iterator[str]:
        title = printable(alert.title, lines=False)[:TITLE_CHARACTERS_MAX]
        yield f"{alert.news.value}: {title or alert.url}"
        yield alert.url
        if self.web_url:
            yield self.link_of(alert)
        if alert.news is News.ERROR:
            yield f"It could not be fetched: {alert.failure}"
        for edit in alert.edits[:EDITS_MAX]:
            if edit.section_path:
                yield f"  in {' › '.join(_short(part) for part in edit.section_path)}"
            if edit.from_text:
                yield f"  - {_short(edit.from_text)}"
            if edit.to_text:
                yield f"  + {_short(edit.to_text)}"
        if alert.truncated or len(alert.edits) > EDITS_MAX:
            yield "  There are more edits than these."


def _edit(edit: TextEdit) -> dict[str, Any]:
    return {
        "changeClass": edit.change_class.value,
        "reasons": list(edit.reasons),
        "salience": edit.salience,
        "sectionPath": list(edit.section_path),
        "from": {"start": edit.from_start, "end": edit.from_end, "text": edit.from_text},
        "to": {"start": edit.to_start, "end": edit.to_end, "text": edit.to_text},
    }


def _short(text: str) -> str:
    return printable(text, lines=False)[:TEXT_CHARACTERS_MAX]


def _line(text: str) -> str:
    return printable(text, lines=False)[:SUBJECT_CHARACTERS_MAX]


def _instant(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
