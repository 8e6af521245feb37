"""Which messages the fetcher consumes and which questions it answers."""

from collections.abc import Mapping
from typing import Any

from scops.common.contract.messages.change import ChangeSettled
from scops.common.contract.messages.content import ExtractionFailed, PageExtracted
from scops.common.contract.messages.crawl import CancelJob, CrawlScope, FetchPage, PageDead
from scops.common.contract.messages.explanation import PageCited
from scops.common.contract.messages.index import HeadsVerified, IndexFailed, VersionIndexed
from scops.common.contract.messages.purge import PurgePages
from scops.common.query.ports import (
    CAPTURE_PAGE,
    DROP_CREDENTIAL,
    IMPORT_PAGES,
    JOB_STATUS,
    KNOWN_URLS,
    LIST_CREDENTIALS,
    PAGE_PLAN,
    PAGE_RISKS,
    PURGE_PREVIEW,
    PUT_CREDENTIAL,
    TEST_CREDENTIAL,
    VERIFY,
    QueryMethod,
)
from scops.common.runtime.service import Answer, Handle
from scops.fetcher import capturing, handlers, importing, purging
from scops.fetcher import queries as answers
from scops.fetcher.credentials.answers import drop_credential, list_credentials, put_credential
from scops.fetcher.credentials.trying import try_credential

# Messages handled at once, of each kind and lane.
CONCURRENCY = 16
HANDLERS: Mapping[type[Any], Handle] = {
    CrawlScope: handlers.handle_crawl_scope,
    FetchPage: handlers.handle_fetch_page,
    CancelJob: handlers.handle_cancel_job,
    PageExtracted: handlers.handle_page_extracted,
    ExtractionFailed: handlers.handle_failed,
    **dict.fromkeys(handlers.VERDICTS, handlers.handle_verdict),
    ChangeSettled: handlers.handle_change_settled,
    PageCited: handlers.handle_page_cited,
    VersionIndexed: handlers.handle_version_indexed,
    HeadsVerified: handlers.handle_heads_verified,
    IndexFailed: handlers.handle_failed,
    PageDead: handlers.handle_page_dead,
    PurgePages: purging.handle_purge_pages,
}
ANSWERS: Mapping[QueryMethod[Any, Any], Answer] = {
    KNOWN_URLS: answers.known_urls,
    PAGE_PLAN: answers.page_plan,
    PAGE_RISKS: answers.page_risks,
    VERIFY: answers.verify,
    JOB_STATUS: answers.job_status,
    CAPTURE_PAGE: capturing.capture_page,
    IMPORT_PAGES: importing.import_pages,
    PUT_CREDENTIAL: put_credential,
    DROP_CREDENTIAL: drop_credential,
    LIST_CREDENTIALS: list_credentials,
    TEST_CREDENTIAL: try_credential,
    PURGE_PREVIEW: purging.purge_preview,
}
