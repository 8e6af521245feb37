"""The retriever: ranks passages inside scopes for a question.

Answers `Retrieve` and `Embed` over the query plane; consumes and publishes no event and writes
nothing. A passage leaves only when its page's head (or the version standing at `as_of`) lists its
chunk and when a rule of a requested scope, at the newest revision held, matches its canonical URL.
"""
