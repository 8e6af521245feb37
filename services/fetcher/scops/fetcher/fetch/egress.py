"""The proxy through which pages are fetched, where one is set."""

from urllib.parse import urlsplit

SCHEMES = ("http", "socks5")


def check_proxy(url: str) -> None:
    """Lets a proxy's URL pass that names a scheme, a host and a port.

    Raises:
        ValueError: it does not; credentials in it are not repeated.
    """
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    whole = parts.scheme in SCHEMES and parts.hostname and port
    if not whole or parts.path.strip("/") or parts.query or parts.fragment:
        raise ValueError(
            "it must be http://host:port or socks5://host:port, with user:password@ before the "
            "host where the proxy asks for them"
        )
