"""What Firecrawl has fetched, as pages of a scope (extra `firecrawl`)."""
