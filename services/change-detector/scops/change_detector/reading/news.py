"""What changed on pages since an instant: net of what came and went, by weight.

Pure. A page that shows its text of then again has no news, however often it changed in between.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from scops.change_detector.chunking.chunker import Body
from scops.change_detector.strategies.port import TypedEdit
from scops.change_detector.timeline.records import HistoricVersion
from scops.common.contract.ids import PageId
from scops.common.contract.messages.change import ChangeRule, PageNews, TextEdit
from scops.common.contract.messages.content import Block
from scops.common.contract.messages.types import ChangeSummary, Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBetween:
    """A page then and now.

    Attributes:
        access_context: what it was fetched with.
        then: the version that stood at the instant; None when none did.
        now: the newest version.
        closed_time: since when the page is gone; None while it stands.
    """

    page_id: PageId
    organisation_id: str
    canonical_url: str
    access_context: str
    then: HistoricVersion | None
    now: HistoricVersion
    closed_time: datetime | None

    @property
    def news(self) -> PageNews:
        """What became of the page."""
        if self.closed_time is not None:
            return PageNews.CLOSED
        return PageNews.ADDED if self.then is None else PageNews.CHANGED

    @property
    def returned(self) -> bool:
        """The page shows what it showed then."""
        same = self.then is not None and self.then.text_digest == self.now.text_digest
        return self.closed_time is None and same

    @property
    def weight(self) -> tuple[int, float, datetime]:
        """Sorts pages before their texts are compared: by what was stored of the last change."""
        summary = self.now.summary
        heavy = self.news is PageNews.CLOSED or summary.semantic
        rank = 0 if self.news is PageNews.ADDED else 1 if heavy else -1
        return rank, summary.salience, self.now.order_key.observed_from


def rule_of(scope: Scope | None, asked: ChangeRule | None = None) -> ChangeRule:
    """Returns the rule to read by.

    What is asked for replaces that part of the scope's own rule; asking for noise lifts the rest.
    """
    asked = asked or ChangeRule()
    if scope is None or asked.with_noise:
        return asked
    return ChangeRule(
        counted_reasons=asked.counted_reasons or scope.counted_reasons,
        ignored_reasons=asked.ignored_reasons or scope.ignored_reasons,
    )


def reasons_count(reasons: tuple[str, ...], rule: ChangeRule) -> bool:
    """Returns whether something that changed for these reasons may count."""
    named = set(reasons)
    if rule.counted_reasons and not named & set(rule.counted_reasons):
        return False
    return not (rule.ignored_reasons and named <= set(rule.ignored_reasons))


def summary_counts(summary: ChangeSummary, rule: ChangeRule) -> bool:
    """Returns whether a version's change counts: by the reasons of the whole page."""
    return (summary.semantic or rule.with_noise) and reasons_count(summary.reasons, rule)


def counted_edits(edits: Iterable[TypedEdit], rule: ChangeRule) -> list[TypedEdit]:
    """Returns the edits that count under a rule, heaviest first."""
    kept = [
        edit
        for edit in edits
        if reasons_count(edit.reasons, rule) and (rule.with_noise or edit.semantic)
    ]
    return sorted(kept, key=lambda edit: -edit.salience)


def text_edit(edit: TypedEdit, old: Body, new: Body, *, characters_max: int) -> TextEdit:
    """Returns an edit with the text of both spans, each cut at a length."""
    before, after = edit.old or (0, 0), edit.new or (0, 0)
    body, at = (new, after[0]) if edit.new else (old, before[0])
    return TextEdit(
        change_class=edit.change_class,
        reasons=edit.reasons,
        salience=edit.salience,
        from_start=before[0],
        from_end=before[1],
        to_start=after[0],
        to_end=after[1],
        from_text=old.text[slice(*before)][:characters_max],
        to_text=new.text[slice(*after)][:characters_max],
        section_path=_section_at(body.document.blocks, at),
    )


def _section_at(blocks: Sequence[Block], position: int) -> tuple[str, ...]:
    return next((b.section_path for b in blocks if b.start <= position < b.end), ())
