"""Asks a Scops gateway: `Scops` waits for its answers, `AsyncScops` is for event loops.

    from scops.client import Scops

    with Scops() as client:
        answer = client.answer("How much does the River plan cost?", "tarn")
        print(answer.text)

What stands here is the public face; docs/api/python.md shows it. Each name is imported when it is
asked for, and gRPC at the first call.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scops.client.async_scops import AsyncScops
    from scops.client.errors import (
        AlreadyExists,
        Conflict,
        DeadlineExceeded,
        Exhausted,
        Failed,
        InvalidRequest,
        NotAuthenticated,
        NotFound,
        NotPermitted,
        ScopsError,
        Unavailable,
    )
    from scops.client.scops import Scops
    from scops.client.values.answers import (
        Answer,
        AnswerPart,
        AnswerSources,
        AnswerStatement,
        Citation,
        Counterfactual,
        Explanation,
        Extraction,
        Freshness,
        Gap,
        Highlight,
        LineageEntry,
        ModelUse,
        PageFreshness,
        PassageExplanation,
        RankWithout,
        ResolvedCitation,
        StatedDate,
        Statement,
        Turn,
    )
    from scops.client.values.callers import Caller, Quota
    from scops.client.values.chats import Chat, ChatTurn, SharedChat
    from scops.client.values.jobs import Job, JobCounts, JobProgress, PageOutcome
    from scops.client.values.pages import (
        Changes,
        DiffHunk,
        DiffPart,
        LocatedPage,
        NewChanges,
        Page,
        PageChange,
        PageChanges,
        PageDiff,
        PageHistory,
        PagePlan,
        PageSchedule,
        PageText,
        PageVersion,
        Pin,
        RuleMatch,
        TextEdit,
        TextSection,
    )
    from scops.client.values.passages import (
        Clocks,
        Mirror,
        Passage,
        Remark,
        RemarkArgument,
        ScopeMatch,
        ScorePart,
        ScoreWeights,
        SearchResult,
        TimeMatch,
    )
    from scops.client.values.researches import (
        PassedPage,
        Research,
        ResearchBudget,
        ResearchPage,
        ResearchProgress,
        ResearchStep,
    )
    from scops.client.values.scopes import (
        Grant,
        PreviewedPage,
        RuleError,
        Scope,
        ScopePreview,
        ScopeRevision,
        ScopeRule,
    )
    from scops.client.values.watches import (
        CreatedWatch,
        Watch,
        WatchCondition,
        WatchDeliveries,
        WatchDelivery,
        WatchSchedule,
        WatchTarget,
        WatchTest,
    )
    from scops.client.values.words import (
        Anchor,
        Boundary,
        CredentialKind,
        DeliveryState,
        Every,
        InstallationRole,
        JobState,
        Mode,
        PartKind,
        ResearchState,
        Revalidate,
        RuleKind,
        ScopeRole,
        Speaker,
        TargetKind,
        Unsupported,
        WatchState,
    )

_NAMES = {
    "async_scops": "AsyncScops",
    "scops": "Scops",
    "errors": (
        "AlreadyExists Conflict DeadlineExceeded Exhausted Failed InvalidRequest NotAuthenticated "
        "NotFound NotPermitted ScopsError Unavailable"
    ),
    "values.answers": (
        "Answer AnswerPart AnswerSources AnswerStatement Citation Counterfactual Explanation "
        "Extraction Freshness Gap Highlight LineageEntry ModelUse PageFreshness "
        "PassageExplanation RankWithout ResolvedCitation StatedDate Statement Turn"
    ),
    "values.callers": "Caller Quota",
    "values.chats": "Chat ChatTurn SharedChat",
    "values.jobs": "Job JobCounts JobProgress PageOutcome",
    "values.pages": (
        "Changes DiffHunk DiffPart LocatedPage NewChanges Page PageChange PageChanges PageDiff "
        "PageHistory PagePlan PageSchedule PageText PageVersion Pin RuleMatch TextEdit TextSection"
    ),
    "values.passages": (
        "Clocks Mirror Passage Remark RemarkArgument ScopeMatch ScorePart ScoreWeights "
        "SearchResult TimeMatch"
    ),
    "values.researches": (
        "PassedPage Research ResearchBudget ResearchPage ResearchProgress ResearchStep"
    ),
    "values.scopes": "Grant PreviewedPage RuleError Scope ScopePreview ScopeRevision ScopeRule",
    "values.watches": (
        "CreatedWatch Watch WatchCondition WatchDeliveries WatchDelivery WatchSchedule "
        "WatchTarget WatchTest"
    ),
    "values.words": (
        "Anchor Boundary CredentialKind DeliveryState Every InstallationRole JobState Mode "
        "PartKind ResearchState Revalidate RuleKind ScopeRole Speaker TargetKind Unsupported "
        "WatchState"
    ),
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = [
    "AlreadyExists",
    "Anchor",
    "Answer",
    "AnswerPart",
    "AnswerSources",
    "AnswerStatement",
    "AsyncScops",
    "Boundary",
    "Caller",
    "Changes",
    "Chat",
    "ChatTurn",
    "Citation",
    "Clocks",
    "Conflict",
    "Counterfactual",
    "CreatedWatch",
    "CredentialKind",
    "DeadlineExceeded",
    "DeliveryState",
    "DiffHunk",
    "DiffPart",
    "Every",
    "Exhausted",
    "Explanation",
    "Extraction",
    "Failed",
    "Freshness",
    "Gap",
    "Grant",
    "Highlight",
    "InstallationRole",
    "InvalidRequest",
    "Job",
    "JobCounts",
    "JobProgress",
    "JobState",
    "LineageEntry",
    "LocatedPage",
    "Mirror",
    "Mode",
    "ModelUse",
    "NewChanges",
    "NotAuthenticated",
    "NotFound",
    "NotPermitted",
    "Page",
    "PageChange",
    "PageChanges",
    "PageDiff",
    "PageFreshness",
    "PageHistory",
    "PageOutcome",
    "PagePlan",
    "PageSchedule",
    "PageText",
    "PageVersion",
    "PartKind",
    "Passage",
    "PassageExplanation",
    "PassedPage",
    "Pin",
    "PreviewedPage",
    "Quota",
    "RankWithout",
    "Remark",
    "RemarkArgument",
    "Research",
    "ResearchBudget",
    "ResearchPage",
    "ResearchProgress",
    "ResearchState",
    "ResearchStep",
    "ResolvedCitation",
    "Revalidate",
    "RuleError",
    "RuleKind",
    "RuleMatch",
    "Scope",
    "ScopeMatch",
    "ScopePreview",
    "ScopeRevision",
    "ScopeRole",
    "ScopeRule",
    "Scops",
    "ScopsError",
    "ScorePart",
    "ScoreWeights",
    "SearchResult",
    "SharedChat",
    "Speaker",
    "StatedDate",
    "Statement",
    "TargetKind",
    "TextEdit",
    "TextSection",
    "TimeMatch",
    "Turn",
    "Unavailable",
    "Unsupported",
    "Watch",
    "WatchCondition",
    "WatchDeliveries",
    "WatchDelivery",
    "WatchSchedule",
    "WatchState",
    "WatchTarget",
    "WatchTest",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    # So that nobody asks again.
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return [*globals(), *_MODULES]
