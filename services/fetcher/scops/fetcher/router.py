"""Which messages the fetcher consumes and which questions it answers."""

from functools import partial
from typing import Any

from scops.common.contract.messages.content import ExtractionFailed, PageExtracted
from scops.common.contract.messages.crawl import CancelJob, CrawlScope, FetchPage, PageDead
from scops.common.contract.messages.explanation import PageCited
from scops.common.contract.messages.index import IndexFailed, VersionIndexed
from scops.common.query.ports import JOB_STATUS, KNOWN_URLS, PAGE_PLAN, PAGE_RISKS, VERIFY
from scops.common.runtime.service import QueryBinding, Subscription
from scops.fetcher import handlers
from scops.fetcher import queries as answers
from scops.fetcher.ports.state import Ports
from scops.fetcher.recrawl.verifying import verify

HANDLERS: tuple[tuple[type[Any], Any], ...] = (
    (CrawlScope, handlers.handle_crawl_scope),
    (FetchPage, handlers.handle_fetch_page),
    (CancelJob, handlers.handle_cancel_job),
    (PageExtracted, handlers.handle_page_extracted),
    (ExtractionFailed, handlers.handle_failed),
    *((verdict, handlers.handle_verdict) for verdict in handlers.VERDICTS),
    (PageCited, handlers.handle_page_cited),
    (VersionIndexed, handlers.handle_version_indexed),
    (IndexFailed, handlers.handle_failed),
    (PageDead, handlers.handle_page_dead),
)


def subscriptions(ports: Ports) -> tuple[Subscription, ...]:
    """Binds the consumed messages to their handlers."""
    return tuple(
        Subscription(message=message, handler=partial(handler, ports=ports), concurrency=16)
        for message, handler in HANDLERS
    )


def queries(ports: Ports) -> tuple[QueryBinding, ...]:
    """Binds the questions to their answers."""
    return (
        QueryBinding(method=KNOWN_URLS, answer=partial(answers.known_urls, ports=ports)),
        QueryBinding(method=PAGE_PLAN, answer=partial(answers.page_plan, ports=ports)),
        QueryBinding(method=PAGE_RISKS, answer=partial(answers.page_risks, ports=ports)),
        QueryBinding(method=VERIFY, answer=partial(verify, ports=ports)),
        QueryBinding(method=JOB_STATUS, answer=partial(answers.job_status, ports=ports)),
    )
