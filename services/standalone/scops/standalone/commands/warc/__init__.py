"""WARC and WACZ files: their records as observations of pages, and versions as their records."""
