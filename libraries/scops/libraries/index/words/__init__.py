"""Words as BM25 compares them: analysed by the language of a text, the same in every store."""
