"""Bounds of scopes that more than one service goes by."""

# Pages of a crawl whose scope and command name no limit, where no operator says otherwise.
PAGE_LIMIT_DEFAULT = 10_000
# The `rendered_per_day` of a scope no page of which a browser shows.
NO_RENDERING = -1
