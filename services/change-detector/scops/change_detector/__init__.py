"""The change-detector: decides what each observation of a page means for its versions.

Consumes `PageExtracted`, `PageUnmodified` and `PageGone`; answers each with exactly one verdict
(`VersionAdded`, `VersionUnchanged`, `VersionRestored`, `VersionClosed`) that carries the page's
full target state, and answers the questions `History` and `Diff`. It is the only writer of
observations, versions and manifests. Of pages that show their newest version again
(`PagesVerified`) it tells by one `VersionsVerified`. A page that shows no article gets no verdict:
the good version stays current.
"""
