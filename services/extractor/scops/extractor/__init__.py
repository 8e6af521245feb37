"""The extractor: from a fetched body to its clean text, its structure and its links.

Consumes `PageFetched`; publishes `PageExtracted`, or `ExtractionFailed` where a body cannot be
parsed. Writes clean texts, documents and link lists to the archive. Keeps no state: what it
publishes is a pure function of the body and of what the fetch says about it.
"""
