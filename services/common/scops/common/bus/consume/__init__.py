"""Consuming: subscriptions, pulls, retries, and how far behind a consumer is."""

from scops.common.runtime.companions import without

# For FastStream's applications, which it serves over HTTP and starts again when a file changes: we
# have its brokers alone. 2.4 MB.
with without("uvicorn"):
    import faststream.nats as _faststream  # noqa: F401
