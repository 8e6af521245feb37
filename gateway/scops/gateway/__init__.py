"""Gateway: the only door from outside, gRPC in `scops.api.v1alpha1`.

Consumes `CrawlProgressed` and `CrawlFinished`; publishes `CrawlScope`, `FetchPage` and
`CancelJob` through its outbox; asks fetcher, change-detector, retriever and explainer. Writes
scopes (the truth; the bucket `scops_scopes` is its projection) and jobs as seen from outside.
Nothing leaves that the newest rules of a scope the caller may see and asked for do not match.
"""
