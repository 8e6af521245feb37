"""The socket that the HTTP server listens on."""

import socket

import pytest

from scops.gateway.adapters.http.server import listening_socket
from scops.gateway.settings import GatewaySettings


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_connections_send_at_once(host: str) -> None:
    """Else a body waits until the peer has acknowledged its headers."""
    with (
        listening_socket(GatewaySettings(host=host, http_port=0)) as listening,
        socket.create_connection(listening.getsockname()[:2]),
    ):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
