"""Passwords in URLs are shown nowhere."""

import io
import json

import aiohttp
import pytest
from pydantic import SecretStr

from scops.common.config.environment import describe_settings
from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import InvalidInput, StoreUnavailable
from scops.common.observe.log import configure_logging, get_logger
from scops.common.runtime.health import HealthServer
from scops.common.text.addresses import without_userinfo

SECRET = "s3same"
URLS = {
    f"nats://gateway:{SECRET}@bus:4222": "nats://***@bus:4222",
    f"s3://{SECRET}@bucket/folder": "s3://***@bucket/folder",
    f"https://:{SECRET}@a.org?x=1": "https://***@a.org?x=1",
    f"postgresql+asyncpg://a:{SECRET}p@ss@db/scops": "postgresql+asyncpg://***@db/scops",
    f'it said "http://a:{SECRET}@b/" and http://c:{SECRET}@d': (
        'it said "http://***@b/" and http://***@d'
    ),
}


@pytest.mark.parametrize(("url", "shown"), URLS.items())
def test_user_and_password_are_masked(url: str, shown: str) -> None:
    """Whatever the scheme, in the middle of other words, twice."""
    assert shown == without_userinfo(url)
    assert shown == InvalidInput(url).message == str(StoreUnavailable(url))


@pytest.mark.parametrize("text", ["a@b.org", "https://a.org/@user", "https://a.org/?q=x@y", "://@"])
def test_what_is_no_user_stays(text: str) -> None:
    """Addresses of people, paths and queries."""
    assert text == without_userinfo(text)


def test_settings_show_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """In every setting that is a URL."""
    common = CommonSettings(
        nats_url=f"nats://u:{SECRET}@bus",
        weaviate_url=f"http://u:{SECRET}@w:8080",
        archive_url=f"s3://{SECRET}:{SECRET}@bucket",
        otlp_endpoint=f"http://u:{SECRET}@o",
        database_url=SecretStr(f"postgresql://u:{SECRET}@db/scops"),
    )
    values = [entry.value for entry in describe_settings([common], {})]

    assert "nats://***@bus" in values
    assert SECRET not in "".join(values)


async def test_neither_readiness_nor_log_shows_a_password() -> None:
    """What a driver says of its address is masked where it leaves the process."""
    target = io.StringIO()
    common = CommonSettings(log_format="json", health_port=0)
    configure_logging(common, target)

    async def ready() -> dict[str, str]:
        return {"store": f"cannot reach http://u:{SECRET}@w"}

    health = HealthServer(common, alive=ready, ready=ready)
    try:
        get_logger("test").warning("store_away", error=repr(OSError(f"x://u:{SECRET}@w")))
        url = await health.start()
        async with aiohttp.ClientSession() as session, session.get(f"{url}/readyz") as response:
            body = await response.text()
    finally:
        await health.stop()
        configure_logging(CommonSettings())

    assert {"store": "cannot reach http://***@w"} == json.loads(body)["problems"]
    assert SECRET not in target.getvalue()
    assert "x://***@w" in target.getvalue()
