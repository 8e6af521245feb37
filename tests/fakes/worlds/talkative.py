"""Services that say too much: whatever they are asked, they return what every scope holds."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, get_args, get_origin, get_type_hints

from scops.common.contract.errors import NotFound
from scops.common.contract.ids import PageId
from scops.common.contract.messages import crawl
from scops.common.contract.messages.change import (
    DiffResponse,
    HistoryResponse,
    HostMask,
    NewsPlace,
    NewsResponse,
    PageChange,
    PinResponse,
    ReadVersionResponse,
    RechunkResponse,
    TemplateBlock,
    TemplatesResponse,
    VolatileResponse,
    WhatChangedResponse,
)
from scops.common.contract.messages.crawl import (
    CapturePageResponse,
    DropCredentialResponse,
    ImportOutcome,
    ImportPagesResponse,
    ImportState,
    JobStatusResponse,
    KeptCredential,
    KnownPage,
    KnownUrlsResponse,
    ListCredentialsResponse,
    PagePlanRequest,
    PagePlanResponse,
    PutCredentialResponse,
    SignalState,
)
from scops.common.contract.messages.explanation import (
    AnswerResponse,
    Citation,
    ExplainResponse,
    FindResponse,
    Gap,
    PassageExplanation,
    ResolvedCitation,
    ResolveRequest,
    ResolveResponse,
    Statement,
)
from scops.common.contract.messages.purge import PurgeCountsResponse, PurgePreviewResponse
from scops.common.contract.messages.retrieval import (
    Evidence,
    Mirror,
    RetrieveResponse,
    VectorsResponse,
)
from scops.common.query import ports as asked
from scops.common.scope.contexts import PUBLIC
from tests.fakes.clock import START
from tests.fakes.worlds.gateway import GatewayWorld

PAGES = 8
# In everything that a credential fetched, which no scope holds, though its rules hold the URL.
OF_A_CREDENTIAL = "cr99cr"


def marker(number: int) -> str:
    """Returns the word that everything of a scope contains, and nothing of another."""
    return f"mk{number:02d}mk"


def url(number: int, page: int) -> str:
    """Returns a page of a scope."""
    return f"https://{marker(number)}.example/{page}"


def page_id(number: int, page: int) -> PageId:
    """Returns the id of a page of a scope."""
    return PageId(f"p-{marker(number)}-{page}")


def filled(kind: Any, word: str, **given: Any) -> Any:
    """Builds a message of which every text holds a word, and every list one item."""
    hints = get_type_hints(kind)
    return kind(
        **{
            field.name: given.get(field.name, _field(field.name, hints[field.name], word))
            for field in fields(kind)
        }
    )


def _field(name: str, hint: Any, word: str) -> Any:
    if name == "access_context":
        return word if word == OF_A_CREDENTIAL else PUBLIC
    return _value(hint, word)


def _value(hint: Any, word: str) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is tuple:
        return (_value(arguments[0], word),)
    if origin is dict:
        return {word: word}
    if arguments:
        return _value(arguments[0], word)
    if hint is datetime:
        return START
    if is_dataclass(hint):
        return filled(hint, word)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return list(hint)[-1]
    if hint in (bool, int, float, bytes):
        return word.encode() if hint is bytes else hint()
    return word


def say_everything(world: GatewayWorld, numbers: Sequence[int]) -> None:
    """Has every question answered with the rows of all scopes, whatever was asked."""
    places = [(number, page) for number in numbers for page in range(PAGES)]
    known = [_known(*place) for place in places]
    by_name = {name: page for page in known for name in (page.page_id, page.canonical_url)}

    async def plan(request: PagePlanRequest) -> PagePlanResponse:
        page = by_name.get(request.page_id or request.url)
        if page is None:
            raise NotFound("No such page.", reason="PAGE_NOT_FOUND")
        return PagePlanResponse(page=page)

    async def resolve(request: ResolveRequest) -> ResolveResponse:
        return ResolveResponse(
            citations=tuple(
                filled(ResolvedCitation, one.page_id.split("-")[1], citation=one)
                for one in request.citations
            )
        )

    async def history(request: Any) -> HistoryResponse:
        return filled(HistoryResponse, _word(request))  # type: ignore[no-any-return]

    async def diff(request: Any) -> DiffResponse:
        return filled(DiffResponse, _word(request))  # type: ignore[no-any-return]

    async def read(request: Any) -> ReadVersionResponse:
        return filled(ReadVersionResponse, _word(request))  # type: ignore[no-any-return]

    world.answer(asked.PAGE_PLAN, plan)
    world.answer(asked.READ_VERSION, read)
    world.answer(asked.RESOLVE, resolve)
    world.answer(asked.HISTORY, history)

    async def volatile(request: Any) -> VolatileResponse:
        return filled(VolatileResponse, _word(request))  # type: ignore[no-any-return]

    async def due(request: Any) -> crawl.SignalPagesResponse:
        pages = (crawl.SignalledUrl(url=url, state=SignalState.DUE) for url in request.urls)
        return crawl.SignalPagesResponse(pages=tuple(pages))

    world.answer(asked.SIGNAL_PAGES, due)
    world.says(asked.SCOPE_USE, crawl.ScopeUseResponse())
    world.answer(asked.DIFF, diff)
    world.answer(asked.VOLATILE, volatile)
    world.says(asked.KNOWN_URLS, KnownUrlsResponse(pages=tuple(known)))
    world.says(asked.JOB_STATUS, JobStatusResponse())
    world.says(asked.PIN, PinResponse())
    captured = CapturePageResponse(page_id=PageId("captured"), state=ImportState.ACCEPTED)
    world.says(asked.CAPTURE_PAGE, captured)
    kept = tuple(filled(KeptCredential, word) for word in (*map(marker, numbers), OF_A_CREDENTIAL))
    world.says(asked.LIST_CREDENTIALS, ListCredentialsResponse(credentials=kept))
    world.says(asked.PUT_CREDENTIAL, PutCredentialResponse())
    world.says(asked.DROP_CREDENTIAL, DropCredentialResponse(dropped=True))
    world.says(asked.TEST_CREDENTIAL, crawl.TestCredentialResponse())
    world.says(asked.IMPORT_PAGES, ImportPagesResponse(outcomes=(ImportOutcome(),)))
    world.says(asked.VECTORS, VectorsResponse())
    world.says(asked.RECHUNK, RechunkResponse())
    world.says(asked.PURGE_PREVIEW, PurgePreviewResponse())
    world.says(asked.PURGE_COUNTS, PurgeCountsResponse())
    changes = tuple(
        filled(PageChange, word, canonical_url=url(n, page), page_id=page_id(n, page))
        for n, page in places
        for word in (marker(n), *([] if page else [OF_A_CREDENTIAL]))
    )
    world.says(asked.WHAT_CHANGED, WhatChangedResponse(changes=changes))
    place = NewsPlace(recorded_time=START, page_id=PageId("p"))
    world.says(asked.NEWS, NewsResponse(changes=changes, next=place))
    world.says(asked.TEMPLATES, TemplatesResponse(hosts=tuple(_templates(n) for n in numbers)))
    evidence = tuple(_evidence(*place, numbers) for place in places)
    evidence += tuple(_private(Evidence, number, 0) for number in numbers)
    found = RetrieveResponse(evidence=evidence)
    world.says(asked.RETRIEVE, found)
    world.says(asked.FIND, FindResponse(query="fee", found=found))
    explained = ExplainResponse(
        evidence=evidence,
        passages=tuple(
            filled(
                PassageExplanation,
                marker(n),
                canonical_url=url(n, page),
                page_id=page_id(n, page),
                chunk_id=f"c-{marker(n)}-{page}",
            )
            for n, page in places
        )
        + tuple(_private(PassageExplanation, number, 0) for number in numbers),
        rationale=" ".join(map(marker, numbers)),
    )
    world.says(asked.EXPLAIN, explained)
    world.says(asked.ANSWER, _answer(places, evidence, explained))


def _word(request: Any) -> str:
    return str(request.page_id).split("-")[1]


def _known(number: int, page: int) -> KnownPage:
    return KnownPage(
        page_id=page_id(number, page), canonical_url=url(number, page), access_context="public"
    )


def _private(kind: Any, number: int, page: int) -> Any:
    """Builds what a credential fetched of a page that a scope's rules hold."""
    given = {"canonical_url": url(number, page), "chunk_id": f"{OF_A_CREDENTIAL}-{number}-{page}"}
    return filled(kind, OF_A_CREDENTIAL, **given)


def _evidence(number: int, page: int, numbers: Sequence[int]) -> Evidence:
    """Builds a passage that points at what says the same in the next scope."""
    own = filled(
        Evidence,
        marker(number),
        canonical_url=url(number, page),
        page_id=page_id(number, page),
        chunk_id=f"c-{marker(number)}-{page}",
    )
    other = numbers[(numbers.index(number) + 1) % len(numbers)]
    foreign = filled(Evidence, marker(other), canonical_url=url(other, page))
    return filled(  # type: ignore[no-any-return]
        Evidence,
        marker(number),
        canonical_url=own.canonical_url,
        page_id=own.page_id,
        chunk_id=own.chunk_id,
        mirrors=foreign.mirrors if page else (*foreign.mirrors, _private(Mirror, number, page)),
        scopes=(*own.scopes, *foreign.scopes),
    )


def _templates(number: int) -> HostMask:
    block = filled(TemplateBlock, marker(number), keeper_url=url(number, 0))
    return filled(HostMask, marker(number), blocks=(block,))  # type: ignore[no-any-return]


def _answer(
    places: Sequence[tuple[int, int]], evidence: tuple[Evidence, ...], explained: ExplainResponse
) -> AnswerResponse:
    citations = tuple(
        filled(Citation, marker(n), number=at, canonical_url=url(n, page), page_id=page_id(n, page))
        for at, (n, page) in enumerate(places, start=1)
    )
    statements = tuple(
        Statement(text=marker(n), citation_numbers=(at,))
        for at, (n, _) in enumerate(places, start=1)
    )
    private = [
        replace(_private(Citation, n, page), number=-at)
        for at, (n, page) in enumerate(places, start=1)
        if page == 0
    ]
    citations += tuple(private)
    statements += tuple(
        Statement(text=OF_A_CREDENTIAL, citation_numbers=(one.number,)) for one in private
    )
    everything = " ".join(marker(n) for n, _ in places)
    return filled(  # type: ignore[no-any-return]
        AnswerResponse,
        everything,
        evidence=evidence,
        citations=citations,
        statements=statements,
        explanation=explained,
        gaps=tuple(_private(Gap, n, page) for n, page in places if page == 0),
        # What is told of a model names no page.
        model=None,
    )
