"""The setting that names a proxy."""

import pytest
from pydantic import SecretStr, ValidationError

from scops.fetcher.settings import FetcherSettings


@pytest.mark.parametrize(
    "url", ["", "http://proxy:3128", "http://user:secret@proxy:3128/", "socks5://[::1]:1080"]
)
def test_a_proxy_is_a_scheme_a_host_and_a_port(url: str) -> None:
    """And none where it is empty."""
    assert url == FetcherSettings(proxy=SecretStr(url)).proxy.get_secret_value()


@pytest.mark.parametrize(
    "url",
    [
        "proxy:3128",
        "http://proxy",
        "http://user:secret@proxy:x",
        "https://user:secret@proxy:443",
        "http://user:secret@proxy:3128/path",
    ],
)
def test_another_form_is_refused_without_its_password(url: str) -> None:
    """It says which forms there are."""
    with pytest.raises(ValidationError, match="socks5://host:port") as raised:
        FetcherSettings(proxy=SecretStr(url))

    assert "secret" not in str(raised.value)
