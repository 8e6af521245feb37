"""The bounds of the HTTP page source; the fetcher's settings fill them."""

from dataclasses import dataclass

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """Bounds of one fetch.

    Args:
        connect_seconds: for the name and the connection together with TLS.
        read_seconds: without a byte.
        headers_seconds: from the start of a request to the end of its headers.
        total_seconds: on the network, redirects included, pauses and checks not. The lease on a
            host must outlive it.
        wire_bytes_max: of a body as transferred.
        decoded_bytes_max: of a body with its content encoding removed.
        ratio_max: decoded bytes over wire bytes, once `ratio_from_bytes` are decoded.
        ratio_from_bytes: below it any ratio is accepted.
        rate_bytes_per_second_min: on average over each `rate_window_seconds`.
        rate_window_seconds: over which the rate is taken.
        header_bytes_max: of all header fields together.
        header_field_bytes_max: of one field or of the status line.
        header_fields_max: how many.
        redirects_max: followed for a page.
        connections_max: open at once, over all hosts.
        keepalive_seconds: how long an idle connection is kept.
    """

    connect_seconds: float = 10.0
    read_seconds: float = 10.0
    headers_seconds: float = 20.0
    total_seconds: float = 60.0
    wire_bytes_max: int = 16 * MIB
    decoded_bytes_max: int = 16 * MIB
    ratio_max: float = 100.0
    ratio_from_bytes: int = MIB
    rate_bytes_per_second_min: float = 1024.0
    rate_window_seconds: float = 10.0
    header_bytes_max: int = 64 * KIB
    header_field_bytes_max: int = 16 * KIB
    header_fields_max: int = 256
    redirects_max: int = 10
    connections_max: int = 64
    keepalive_seconds: float = 15.0
