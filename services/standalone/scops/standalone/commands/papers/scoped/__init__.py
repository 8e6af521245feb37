"""Papers in a scope: their records as pages, their texts by the crawl, their citations."""
