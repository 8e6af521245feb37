"""The API's messages made of what the use cases return."""

from collections.abc import Callable, Mapping
from datetime import datetime
from operator import attrgetter, itemgetter

from scops.api.v1alpha1 import audit_service_pb2 as audits
from scops.api.v1alpha1 import chat_service_pb2 as chats
from scops.api.v1alpha1 import identity_service_pb2 as identities
from scops.api.v1alpha1 import job_service_pb2 as jobs
from scops.api.v1alpha1 import operations_service_pb2 as operations
from scops.api.v1alpha1 import page_service_pb2 as pages
from scops.api.v1alpha1 import purge_service_pb2 as purges
from scops.api.v1alpha1 import research_service_pb2 as researches
from scops.api.v1alpha1 import scope_service_pb2 as scopes
from scops.api.v1alpha1 import search_service_pb2 as searches
from scops.api.v1alpha1 import transfer_service_pb2 as transfers
from scops.api.v1alpha1 import watch_service_pb2 as watches
from scops.common.contract.ids import ScopeId
from scops.common.contract.messages.change import TemplatesResponse
from scops.common.contract.messages.content import TrustTier
from scops.common.contract.messages.crawl import PagePlanResponse, PageSchedule
from scops.common.contract.messages.explanation import AnswerResponse
from scops.common.contract.messages.types import Clocks, StatedKind
from scops.common.scope.rules import unusable_rules
from scops.gateway.api.plan_text import plan_text
from scops.gateway.api.translation import OTHERS, Read, Source, Translation
from scops.gateway.handlers.chats.keeping import KeptAnswer
from scops.gateway.handlers.pages import VisiblePage
from scops.gateway.handlers.search import ExplainedPassage, joined
from scops.gateway.purges.purge import Purge
from scops.gateway.requests.names import (
    chat_name,
    key_name,
    letter_name,
    page_name,
    research_name,
    scope_name,
    turn_name,
    watch_name,
)
from scops.gateway.scopes.revisions import ScopeRevision
from scops.gateway.scopes.stored_scope import StoredScope
from scops.gateway.watches.watch import WatchState

FIRST: Read = itemgetter(0)
SECOND: Read = itemgetter(1)
CHANGE: Mapping[str, Source] = {
    "change_class": "summary.change_class",
    "change_reasons": "summary.reasons",
}


def _whole(value: object) -> object:
    return value


def _stated(kind: StatedKind) -> Callable[[Clocks], datetime | None]:
    """Returns what reads the surest stated time of a kind."""

    def read(clocks: Clocks) -> datetime | None:
        of_kind = [stated for stated in clocks.stated if stated.kind is kind]
        return max(of_kind, key=lambda stated: stated.confidence).time if of_kind else None

    return read


def _told(value: AnswerResponse | KeptAnswer) -> AnswerResponse:
    return value.answer if isinstance(value, KeptAnswer) else value


def _of_answer(read: Callable[[AnswerResponse], object]) -> Read:
    """Returns what reads from an answer, kept or not."""
    return lambda value: read(_told(value))


def _explanations(answer: AnswerResponse) -> tuple[ExplainedPassage, ...]:
    explanation = answer.explanation
    return joined(answer.evidence, explanation.passages) if explanation is not None else ()


def _rationale(answer: AnswerResponse) -> str:
    return answer.explanation.rationale if answer.explanation is not None else ""


def _rule_errors(stored: StoredScope) -> list[str]:
    return [error.message for error in unusable_rules(stored.scope.rules)]


def _fact(name: str) -> Read:
    """Returns what reads a fact of an error."""
    return lambda error: error.metadata[name]


def _as_stored(revision: ScopeRevision) -> StoredScope:
    return StoredScope(
        scope=revision.scope,
        created_time=revision.changed_time,
        updated_time=revision.changed_time,
    )


def _scope_names(seen: VisiblePage) -> list[str]:
    return [scope_name(scope.scope_id) for scope in seen.scopes]


def _page_names(purge: Purge) -> list[str]:
    return [page_name(page_id) for page_id in purge.selector.page_ids]


def _plan(seen: VisiblePage) -> PagePlanResponse | None:
    """Returns when a page is fetched again; nobody fetches a capture again."""
    plan = None if seen.page.captured_by else seen.plan
    return plan if plan is not None and plan.host_key else None


def _plan_text(seen: VisiblePage) -> str:
    plan = _plan(seen)
    return plan_text(plan) if plan is not None else ""


def _budget_scope(schedule: PageSchedule) -> str:
    return scope_name(ScopeId(schedule.budget_scope_id)) if schedule.budget_scope_id else ""


def _left_out(found: TemplatesResponse) -> list[str]:
    return [part.text for part in found.left_out]


API = Translation(
    {
        scopes.Scope: {
            OTHERS: "scope",
            "name": "scope.scope_id",
            "display_name": "scope.name",
            "create_time": "created_time",
            "update_time": "updated_time",
            "rule_errors": _rule_errors,
            "rule_faults": lambda stored: unusable_rules(stored.scope.rules),
        },
        scopes.RuleError: {
            "pattern": _fact("pattern"),
            "code": _fact("fault"),
            "detail": _fact("detail"),
        },
        scopes.CreateScopeResponse: {"scope": _whole},
        scopes.GetScopeResponse: {"scope": _whole},
        scopes.GetScopeUseResponse: {},
        scopes.UpdateScopeResponse: {"scope": _whole},
        scopes.AddPagesResponse: {"scope": _whole},
        scopes.ShareScopeResponse: {"scope": _whole},
        scopes.TransferScopeResponse: {"scope": _whole},
        scopes.ForkScopeResponse: {"scope": _whole},
        scopes.RevertScopeResponse: {"scope": _whole},
        scopes.ListScopeRevisionsResponse: {"revisions": FIRST, "next_page_token": SECOND},
        scopes.ScopeRevision: {
            OTHERS: "change",
            "scope": _as_stored,
            "change_time": "changed_time",
        },
        scopes.ListScopesResponse: {"scopes": FIRST, "next_page_token": SECOND},
        scopes.PutCredentialResponse: {"credential": _whole},
        scopes.ListCredentialsResponse: {"credentials": _whole},
        scopes.Credential: {"principal": "put_by"},
        pages.Page: {
            OTHERS: "page",
            "name": "page.page_id",
            "scopes": _scope_names,
            "plan": _plan_text,
            "plan_facts": _plan,
        },
        pages.PagePlan: {
            "host": "host_key",
            "host_next_time": "host_next_allowed_time",
            "asks_for_changes": "has_validators",
        },
        pages.PageSchedule: {
            "check_time": "checked_time",
            "change_time": "changed_time",
            "budget_scope": _budget_scope,
        },
        pages.GetPageResponse: {"page": _whole},
        pages.PutPageCaptureResponse: {"name": "page_id"},
        pages.SignalPagesResponse: {"pages": _whole},
        pages.SignalledPage: {},
        pages.RuleMatch: {"scope": "scope_id"},
        pages.ReadPageResponse: {
            OTHERS: "read",
            "page": "page",
            "version": "read.version_id",
            "observed_from_time": "read.order_key.observed_from",
            "observed_to_time": "read.observed_to",
        },
        pages.TextSection: {},
        pages.ListPagesResponse: {"pages": FIRST, "next_page_token": SECOND},
        pages.ListPageVersionsResponse: {OTHERS: "history"},
        pages.PageVersion: {
            "observed_from_time": "order_key.observed_from",
            "revision": "order_key.revision",
            "observed_to_time": "observed_to",
            "semantic": "summary.semantic",
            **CHANGE,
        },
        pages.DiffHunk: {
            "change_class": "change.change_class",
            "change_reasons": "change.reasons",
            "semantic": "change.semantic",
        },
        pages.PageChange: {"name": "page_id", "salience": "summary.salience", **CHANGE},
        pages.HostTemplates: {"page_count": "pages"},
        pages.TemplateBlock: {"page_count": "pages"},
        pages.VolatileBlock: {},
        pages.ListTemplatesResponse: {"left_out": _left_out},
        identities.WhoAmIResponse: {
            OTHERS: "principal",
            "principal": "principal.principal_id",
            "credential": "kind",
        },
        identities.TokenIssuer: {},
        identities.CreateKeyResponse: {"key": FIRST, "secret": SECOND},
        identities.ListKeysResponse: {"keys": FIRST, "next_page_token": SECOND},
        identities.RevokeKeyResponse: {"key": _whole},
        identities.Key: {
            "name": lambda key: key_name(key.key_id),
            "scopes": lambda key: [scope_name(one) for one in key.scope_ids],
            "create_time": "created_time",
            "expire_time": "expired_time",
            "revoke_time": "revoked_time",
            "last_use_time": "used_time",
        },
        identities.GetQuotasResponse: {"quotas": _whole},
        identities.ListMembersResponse: {"members": FIRST, "next_page_token": SECOND},
        operations.GetHealthResponse: {},
        operations.HealthCheck: {},
        operations.ListQueuesResponse: {"queues": _whole},
        operations.Queue: {},
        operations.ListDeadLettersResponse: {"dead_letters": FIRST, "next_page_token": SECOND},
        operations.DeadLetter: {
            "name": lambda letter: letter_name(letter.letter_id),
            "replay_time": "replayed_time",
        },
        operations.ReplayDeadLetterResponse: {},
        audits.ListAuditEntriesResponse: {"entries": FIRST, "next_page_token": SECOND},
        audits.AuditEntry: {},
        audits.AuditFact: {},
        audits.VerifyAuditResponse: {},
        jobs.Job: {
            "name": "job_id",
            "scope": "scope.scope_id",
            "create_time": "created_time",
            "finish_time": "finished_time",
        },
        jobs.CreateJobResponse: {"job": _whole},
        jobs.GetJobResponse: {"outcomes_missing_reason": "missing_reason"},
        jobs.WatchJobResponse: {"outcomes_missing_reason": "missing_reason"},
        jobs.ListJobsResponse: {"jobs": FIRST, "next_page_token": SECOND},
        jobs.CancelJobResponse: {"job": _whole},
        chats.Chat: {
            "name": lambda chat: chat_name(chat.chat_id),
            "create_time": "created_time",
            "ask_time": "asked_time",
        },
        chats.ChatTurn: {
            "name": lambda turn: turn_name(turn.chat_id, turn.number),
            "ask_time": "asked_time",
        },
        chats.CreateChatResponse: {"chat": _whole},
        chats.GetChatResponse: {"chat": _whole},
        chats.RenameChatResponse: {"chat": _whole},
        chats.ShareChatResponse: {"chat": FIRST, "share": SECOND},
        chats.ListChatsResponse: {"chats": FIRST, "next_page_token": SECOND},
        chats.ListChatTurnsResponse: {"turns": FIRST, "next_page_token": SECOND},
        chats.GetChatTurnResponse: {"turn": _whole},
        researches.Research: {
            OTHERS: "run",
            "name": lambda seen: research_name(seen.run.research_id),
            "uri": "run.start_url",
            "scope": "run.scope_id",
            "scopes": lambda seen: [scope_name(scope_id) for scope_id in seen.run.asked],
            "stop_reason": "run.stopped",
            "chat": lambda seen: chat_name(seen.run.chat_id),
            "create_time": "run.created_time",
            "end_time": "run.ended_time",
            "kept_until": "kept_until",
            "drop_time": "run.dropped_time",
        },
        researches.PassedPage: {"uri": "url", "until_time": "until"},
        researches.ResearchPage: {"uri": "url", "found_on_uri": "found_on"},
        researches.ResearchStep: {"stop_reason": "stopped"},
        researches.CreateResearchResponse: {"research": _whole},
        researches.GetResearchResponse: {"research": _whole},
        researches.WatchResearchResponse: {"research": _whole},
        researches.ListResearchesResponse: {"researches": FIRST, "next_page_token": SECOND},
        researches.CancelResearchResponse: {"research": _whole},
        researches.DeleteResearchResponse: {},
        purges.Purge: {
            "name": "purge_id",
            "pages": _page_names,
            "uri_prefixes": "selector.url_prefixes",
            "scope": "scope_id",
            "create_time": "created_time",
            "finish_time": "finished_time",
        },
        purges.PurgePagesResponse: {"example_uris": "example_urls"},
        purges.GetPurgeResponse: {"purge": _whole},
        purges.ListPurgesResponse: {"purges": FIRST, "next_page_token": SECOND},
        transfers.ExportPagesResponse: {"pages": FIRST, "next_page_token": SECOND},
        transfers.ExportedPage: {"name": "page_id"},
        transfers.ExportedVersion: {},
        transfers.ExportedChunk: {},
        transfers.ImportPagesResponse: {"results": _whole},
        transfers.ImportResult: {"name": "page_id"},
        watches.CreateWatchResponse: {"watch": FIRST, "secret": SECOND},
        watches.GetWatchResponse: {"watch": FIRST, "deliveries": SECOND},
        watches.ListWatchesResponse: {"watches": FIRST, "next_page_token": SECOND},
        watches.UpdateWatchResponse: {"watch": _whole},
        watches.Watch: {
            "name": lambda watch: watch_name(watch.watch_id),
            "scope": "scope_id",
            "page": "page_id",
            "target": _whole,
            "paused": lambda watch: watch.state is WatchState.PAUSED,
            "principal": "principal_id",
            "create_time": "created_time",
            "update_time": "updated_time",
        },
        watches.WatchCondition: {"news": lambda condition: sorted(condition.news)},
        watches.WatchTarget: {"address": "shown_address"},
        watches.WatchDelivery: {"create_time": "created_time", "end_time": "ended_time"},
        searches.SearchResponse: {"passages": "evidence"},
        searches.AnswerResponse: {
            OTHERS: "answer",
            "passages": _of_answer(attrgetter("evidence")),
            "explanations": _of_answer(_explanations),
            "rationale": _of_answer(_rationale),
            "evidence_bundle": _of_answer(attrgetter("bundle")),
            "turn": lambda value: value.turn if isinstance(value, KeptAnswer) else "",
        },
        searches.AnswerSources: {"passages": "evidence"},
        searches.ExplainResponse: {"explanations": "passages"},
        searches.ResolveCitationsResponse: {"citations": _whole},
        searches.Passage: {
            "instruction_like": lambda passage: passage.trust is TrustTier.INSTRUCTION_LIKE,
            "joined_chunks": "joined_chunk_ids",
        },
        searches.Clocks: {
            "stated_published_time": _stated(StatedKind.PUBLISHED),
            "stated_modified_time": _stated(StatedKind.MODIFIED),
        },
        searches.PassageExplanation: {OTHERS: "explanation", "passage": "evidence"},
        searches.LineageEntry: CHANGE,
    }
)
message = API.message
