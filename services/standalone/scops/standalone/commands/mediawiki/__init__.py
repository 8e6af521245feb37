"""The history of a wiki's pages, by the API of MediaWiki."""
