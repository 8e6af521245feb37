"""One page from its URL to its body: the visit, redirects, addresses, what the body is."""
