"""Metrics as Prometheus reads them: as text, or as OpenMetrics, which alone carries exemplars."""

from prometheus_client import REGISTRY
from prometheus_client.exposition import choose_encoder


def exposition(accept: str) -> tuple[bytes, str]:
    """Returns every metric of this process, and the content type of what is returned.

    Args:
        accept: the header of the request, by which Prometheus says what it reads.
    """
    encoder, content_type = choose_encoder(accept)
    return encoder(REGISTRY), content_type
