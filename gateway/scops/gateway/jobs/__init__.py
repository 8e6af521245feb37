"""Jobs as seen from outside, held against the fetcher's ledger."""
