"""Questions between services: the methods as data, and the client as a port."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar

from scops.common.contract.messages import change, crawl, explanation, purge, retrieval
from scops.common.contract.service_table import Role

Request = TypeVar("Request")
Response = TypeVar("Response")


@dataclass(frozen=True, slots=True)
class QueryMethod(Generic[Request, Response]):
    """A question that one role answers, and which roles may ask it."""

    role: Role
    name: str
    request: type[Request]
    response: type[Response]
    askers: tuple[Role, ...] = (Role.GATEWAY,)

    @property
    def subject(self) -> str:
        """The subject of the request; instances of the role share it as a queue group."""
        return f"scops.query.v1.{self.role.value}.{self.name}"


KNOWN_URLS = QueryMethod(
    Role.FETCHER, "known_urls", crawl.KnownUrlsRequest, crawl.KnownUrlsResponse
)
PAGE_PLAN = QueryMethod(Role.FETCHER, "page_plan", crawl.PagePlanRequest, crawl.PagePlanResponse)
PAGE_RISKS = QueryMethod(
    Role.FETCHER,
    "page_risks",
    crawl.PageRisksRequest,
    crawl.PageRisksResponse,
    askers=(Role.EXPLAINER,),
)
VERIFY = QueryMethod(
    Role.FETCHER, "verify", crawl.VerifyRequest, crawl.VerifyResponse, askers=(Role.EXPLAINER,)
)
JOB_STATUS = QueryMethod(
    Role.FETCHER, "job_status", crawl.JobStatusRequest, crawl.JobStatusResponse
)
IMPORT_PAGES = QueryMethod(
    Role.FETCHER, "import_pages", crawl.ImportPagesRequest, crawl.ImportPagesResponse
)
CAPTURE_PAGE = QueryMethod(
    Role.FETCHER, "capture_page", crawl.CapturePageRequest, crawl.CapturePageResponse
)
SIGNAL_PAGES = QueryMethod(
    Role.FETCHER, "signal_pages", crawl.SignalPagesRequest, crawl.SignalPagesResponse
)
CONFIRM_SUBSCRIPTION = QueryMethod(
    Role.FETCHER,
    "confirm_subscription",
    crawl.ConfirmSubscriptionRequest,
    crawl.ConfirmSubscriptionResponse,
)
TAKE_DELIVERY = QueryMethod(
    Role.FETCHER, "take_delivery", crawl.TakeDeliveryRequest, crawl.TakeDeliveryResponse
)
SCOPE_USE = QueryMethod(Role.FETCHER, "scope_use", crawl.ScopeUseRequest, crawl.ScopeUseResponse)
PAGE_LINKS = QueryMethod(
    Role.FETCHER, "page_links", crawl.PageLinksRequest, crawl.PageLinksResponse
)
SITE_SEARCH = QueryMethod(
    Role.FETCHER, "site_search", crawl.SiteSearchRequest, crawl.SiteSearchResponse
)
PAPER_SEARCH = QueryMethod(
    Role.FETCHER, "paper_search", crawl.PaperSearchRequest, crawl.PaperSearchResponse
)
PUT_CREDENTIAL = QueryMethod(
    Role.FETCHER, "put_credential", crawl.PutCredentialRequest, crawl.PutCredentialResponse
)
DROP_CREDENTIAL = QueryMethod(
    Role.FETCHER, "drop_credential", crawl.DropCredentialRequest, crawl.DropCredentialResponse
)
LIST_CREDENTIALS = QueryMethod(
    Role.FETCHER, "list_credentials", crawl.ListCredentialsRequest, crawl.ListCredentialsResponse
)
TEST_CREDENTIAL = QueryMethod(
    Role.FETCHER, "test_credential", crawl.TestCredentialRequest, crawl.TestCredentialResponse
)
HISTORY = QueryMethod(
    Role.CHANGE_DETECTOR,
    "history",
    change.HistoryRequest,
    change.HistoryResponse,
    askers=(Role.GATEWAY, Role.EXPLAINER),
)
DIFF = QueryMethod(
    Role.CHANGE_DETECTOR,
    "diff",
    change.DiffRequest,
    change.DiffResponse,
    askers=(Role.GATEWAY, Role.EXPLAINER),
)
WHAT_CHANGED = QueryMethod(
    Role.CHANGE_DETECTOR, "what_changed", change.WhatChangedRequest, change.WhatChangedResponse
)
NEWS = QueryMethod(Role.CHANGE_DETECTOR, "news", change.NewsRequest, change.NewsResponse)
NEWEST_NEWS = QueryMethod(
    Role.CHANGE_DETECTOR, "newest_news", change.NewestNewsRequest, change.NewestNewsResponse
)
RECHUNK = QueryMethod(
    Role.CHANGE_DETECTOR, "rechunk", change.RechunkRequest, change.RechunkResponse
)
READ_VERSION = QueryMethod(
    Role.CHANGE_DETECTOR, "read_version", change.ReadVersionRequest, change.ReadVersionResponse
)
TEMPLATES = QueryMethod(
    Role.CHANGE_DETECTOR, "templates", change.TemplatesRequest, change.TemplatesResponse
)
VOLATILE = QueryMethod(
    Role.CHANGE_DETECTOR, "volatile", change.VolatileRequest, change.VolatileResponse
)
PIN = QueryMethod(Role.CHANGE_DETECTOR, "pin", change.PinRequest, change.PinResponse)
RETRIEVE = QueryMethod(
    Role.RETRIEVER,
    "retrieve",
    retrieval.RetrieveRequest,
    retrieval.RetrieveResponse,
    askers=(Role.GATEWAY, Role.EXPLAINER),
)
EMBED = QueryMethod(Role.RETRIEVER, "embed", retrieval.EmbedRequest, retrieval.EmbedResponse)
VECTORS = QueryMethod(
    Role.RETRIEVER, "vectors", retrieval.VectorsRequest, retrieval.VectorsResponse
)
FIND = QueryMethod(Role.EXPLAINER, "find", explanation.FindRequest, explanation.FindResponse)
ANSWER = QueryMethod(
    Role.EXPLAINER, "answer", explanation.AnswerRequest, explanation.AnswerResponse
)
EXPLAIN = QueryMethod(
    Role.EXPLAINER, "explain", explanation.ExplainRequest, explanation.ExplainResponse
)
RANK_LINKS = QueryMethod(
    Role.EXPLAINER, "rank_links", explanation.RankLinksRequest, explanation.RankLinksResponse
)
RESOLVE = QueryMethod(
    Role.EXPLAINER, "resolve", explanation.ResolveRequest, explanation.ResolveResponse
)
PURGE_PREVIEW = QueryMethod(
    Role.FETCHER, "purge_preview", purge.PurgePreviewRequest, purge.PurgePreviewResponse
)
PURGE_COUNTS = QueryMethod(
    Role.CHANGE_DETECTOR, "purge_counts", purge.PurgeCountsRequest, purge.PurgeCountsResponse
)

# Every question above: a role may ask and answer what is among them.
METHODS: tuple[QueryMethod[Any, Any], ...] = tuple(
    one for one in tuple(globals().values()) if isinstance(one, QueryMethod)
)


class QueryClient(Protocol):
    """Asks other roles."""

    async def call(
        self, method: QueryMethod[Request, Response], request: Request, *, deadline: datetime
    ) -> Response:
        """Returns the answer.

        Raises:
            TransientError: nobody answered before the deadline, or no instance is running.
            ScopsError: the error that the other side raised, class and reason kept.
        """
        ...
