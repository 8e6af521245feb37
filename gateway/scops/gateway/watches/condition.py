"""Which changes of a page a watch tells of, of those that its scope's rule counts."""

from dataclasses import dataclass, replace
from datetime import datetime

from scops.common.contract.errors import InvalidInput
from scops.common.contract.ids import PageId
from scops.common.contract.messages import change
from scops.common.contract.messages.change import ChangeRule, TextEdit
from scops.gateway.watches.watch import News, WatchCondition

WORDS_MAX, WORD_CHARACTERS_MAX = 50, 100
REASONS_MAX, REASON_CHARACTERS_MAX = 50, 100
_NEWS = {
    change.PageNews.ADDED: News.ADDED,
    change.PageNews.CHANGED: News.CHANGED,
    change.PageNews.CLOSED: News.GONE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One page's news as a watch tells it.

    Attributes:
        from_version: empty for a page that is new, and for an error.
        edits: the weightiest first, with the spans that both versions have of it.
        truncated: there are more edits than these.
        failure: why the page could not be fetched; of an error.
    """

    news: News
    page_id: PageId
    url: str
    title: str = ""
    from_version: str = ""
    to_version: str = ""
    observed_time: datetime
    reasons: tuple[str, ...] = ()
    salience: float | None = None
    edits: tuple[TextEdit, ...] = ()
    truncated: bool = False
    failure: str = ""


def rule_of(condition: WatchCondition) -> ChangeRule:
    """Returns what of a condition the change-detector decides."""
    return ChangeRule(
        counted_reasons=condition.counted_reasons,
        ignored_reasons=condition.ignored_reasons,
        with_noise=condition.with_noise,
    )


def counted(condition: WatchCondition, found: change.PageChange) -> Alert | None:
    """Returns what a watch tells of a page that changed; None where nothing of it counts.

    A page whose edits nobody knows, because a text of it is not kept, counts where the condition
    asks nothing of edits.
    """
    news = _NEWS.get(found.news)
    if news is None or not condition.wants(news):
        return None
    alert = Alert(
        news=news,
        page_id=found.page_id,
        url=found.canonical_url,
        title=found.title,
        from_version=found.from_version_id,
        to_version=found.to_version_id,
        observed_time=found.observed_time,
        reasons=found.summary.reasons if found.summary else (),
        salience=found.summary.salience if found.summary else None,
        edits=found.edits,
        truncated=found.truncated,
    )
    words = tuple(word.casefold() for word in condition.words)
    if news is not News.CHANGED:
        return alert if _has(words, found.title, found.canonical_url) else None
    if not (words or condition.salience_min or condition.change_classes):
        return alert
    kept = tuple(edit for edit in found.edits if _counts(condition, words, edit))
    return replace(alert, edits=kept) if kept else None


def check_condition(condition: WatchCondition) -> None:
    """Checks what a caller wants.

    Raises:
        InvalidInput: a part of it cannot be used.
    """
    if not 0 <= condition.salience_min <= 1:
        raise _refused("salience_min", "A weight lies between 0 and 1.")
    _check_list("words", condition.words, WORDS_MAX, WORD_CHARACTERS_MAX)
    for name in ("counted_reasons", "ignored_reasons"):
        _check_list(name, getattr(condition, name), REASONS_MAX, REASON_CHARACTERS_MAX)


def _check_list(name: str, values: tuple[str, ...], most: int, characters: int) -> None:
    if len(values) > most or any(not 0 < len(one.strip()) <= characters for one in values):
        raise _refused(name, f"Give at most {most} of these, of 1 to {characters} characters each.")


def _counts(condition: WatchCondition, words: tuple[str, ...], edit: TextEdit) -> bool:
    classes = condition.change_classes
    return (
        edit.salience >= condition.salience_min
        and (not classes or edit.change_class in classes)
        and _has(words, edit.from_text, edit.to_text)
    )


def _has(words: tuple[str, ...], *texts: str) -> bool:
    return not words or any(word in text.casefold() for text in texts for word in words)


def _refused(name: str, message: str) -> InvalidInput:
    return InvalidInput(message, reason="CONDITION_UNUSABLE", field=f"watch.condition.{name}")
