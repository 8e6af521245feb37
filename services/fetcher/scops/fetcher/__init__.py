"""Fetcher: decides what is fetched when, fetches it politely, and keeps the ledger of jobs.

Consumes `CrawlScope`, `FetchPage`, `CancelJob`; `PageExtracted` (links); the verdicts (change
rate); `PageCited` (demand); `VersionIndexed`, `HeadsVerified`, `ExtractionFailed`, `IndexFailed`,
`PageDead` (outcomes). Publishes `PageFetched`, `PageUnmodified`, `PagesVerified`, `PageGone`,
`FetchFailed`, `CrawlProgressed`, `CrawlFinished`, all through its outbox. Answers `known_urls`,
`page_plan`, `page_risks`, `verify`, `job_status`, `import_pages`, `capture_page`,
`signal_pages`, `confirm_subscription`, `take_delivery`, `scope_use`, `page_links`,
`site_search`.

It is the only writer of page identities and aliases, the frontier, hosts (clock, robots.txt),
validators and the ledger, and the only one who puts raw bodies into the archive. It holds
invariants 1 (every accepted job ends, one outcome a page), 7 (a host never sees two requests at
once, nor two closer than its delay) and its part of 8 (what got lost is published again).
"""
