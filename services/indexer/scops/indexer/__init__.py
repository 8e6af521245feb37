"""The indexer: makes versions findable, and moves each page's head to what is current.

Consumes the four verdicts (`VersionAdded`, `VersionUnchanged`, `VersionRestored`,
`VersionClosed`); answers each with exactly one `VersionIndexed`, or with `IndexFailed` where the
archive lacks what the verdict names. `VersionsVerified` moves the verified times of many
heads and is answered with one `HeadsVerified`. A verdict carries the page's full target state, so
that its answer does not depend on what went before. It is the only writer of the index: chunk
objects, heads, page versions and the vector cache; the retriever is its reader.
"""
