"""One module a benchmark; run `python -m benchmarks.NAME --json`."""
