"""The explainer: answers with verbatim sentences, and says why they were chosen.

Answers `Answer` and `Explain` over the query plane, asks the retriever and the change-detector,
reads texts from the archive, writes nothing. A statement of an extractive answer *is* a quote:
`text[start:end] == quote` holds for every citation.
"""
