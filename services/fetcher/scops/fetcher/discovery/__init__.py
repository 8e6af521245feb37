"""Where pages are found: links, sitemaps, llms.txt; and what is not worth following."""
