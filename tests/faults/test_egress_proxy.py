"""Pages through a real Squid with the settings of `components/egress-proxy`.

It is told addresses alone, and leads to public ones only. A public address is made on this
machine's loopback, so nothing leaves it.
"""

import asyncio
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from aiohttp import web

from scops.common.egress.address import AddressPolicy
from scops.fetcher.adapters.http.limits import HttpLimits
from scops.fetcher.adapters.http.page_source import HttpPageSource, user_agent
from scops.fetcher.ports.page_source import Failed, Fetched, FetchRequest
from tests.connected.fetcher_http.test_http_addresses import ScriptedResolver
from tests.fakes.clock import ManualClock
from tests.fakes.page_source import OpenGate
from tests.fakes.servers.machine import free_port

SETTINGS = Path(__file__).parents[2] / "deploy/k8s/components/egress-proxy/squid.conf"
LISTENS = "http_port 3128"
# Of a network that announces no address of it on the Internet.
PUBLIC = "11.0.0.80"
SITE_PORT = 8080
UP_SECONDS = 20.0
PROXY_USER = "proxy"


@pytest.fixture
async def site() -> AsyncIterator[list[str]]:
    """A site at the public address; what it was asked for."""
    asked: list[str] = []

    async def page(request: web.Request) -> web.Response:
        asked.append(f"{request.host}{request.path}")
        return web.Response(text="<p>through Squid", content_type="text/html")

    subprocess.run(["ip", "address", "add", f"{PUBLIC}/32", "dev", "lo"], check=True)
    app = web.Application()
    app.router.add_get("/{path:.*}", page)
    runner = web.AppRunner(app)
    try:
        await runner.setup()
        await web.TCPSite(runner, PUBLIC, SITE_PORT).start()
        yield asked
    finally:
        await runner.cleanup()
        subprocess.run(["ip", "address", "delete", f"{PUBLIC}/32", "dev", "lo"], check=True)


@pytest.fixture
def squid() -> Iterator[int]:
    """Squid with the shipped settings but for its port, which is returned."""
    binary = shutil.which("squid", path="/usr/sbin:/usr/bin")
    assert binary, "squid is missing: `make faults` installs it."
    port = free_port()
    settings = SETTINGS.read_text()
    assert LISTENS in settings
    # Its user reads no folder of pytest's.
    with TemporaryDirectory(prefix="scops-squid-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        file = folder / "squid.conf"
        file.write_text(settings.replace(LISTENS, f"http_port 127.0.0.1:{port}"))
        with (folder / "log").open("wb") as log:
            # As a container's runtime does with what its user writes to.
            shutil.chown(log.fileno(), PROXY_USER)
            process = subprocess.Popen(
                [binary, "-N", "-f", str(file)],
                stdout=log,
                stderr=log,
                user=PROXY_USER,
                group=PROXY_USER,
                cwd="/",
            )
        try:
            asyncio.run(_listens(port, process, folder / "log"))
            yield port
        finally:
            process.kill()
            process.wait()


async def _listens(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    async with asyncio.timeout(UP_SECONDS):
        while True:
            assert process.poll() is None, log.read_text()
            with suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                return
            await asyncio.sleep(0.1)


async def test_a_page_comes_by_its_address(squid: int, site: list[str]) -> None:
    """The fetcher looks its name up and asks Squid for a tunnel to the address."""
    source = HttpPageSource(
        limits=HttpLimits(),
        addresses=AddressPolicy(),
        clock=ManualClock(),
        user_agent=user_agent("9.9", "https://example.org/bot"),
        proxy=f"http://127.0.0.1:{squid}",
        resolver=ScriptedResolver([PUBLIC]),
    )
    try:
        request = FetchRequest(url=f"http://site.example:{SITE_PORT}/page")
        found = await source.fetch(request, OpenGate())
        inside = await source.fetch(FetchRequest(url="http://127.0.0.1:8080/"), OpenGate())
    finally:
        await source.close()

    assert isinstance(found, Fetched), found
    assert b"<p>through Squid" == found.body
    assert [f"site.example:{SITE_PORT}/page"] == site
    assert isinstance(inside, Failed)


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (f"CONNECT {PUBLIC}:{SITE_PORT} HTTP/1.1", 200),
        # What a fetcher that was taken over might try.
        ("CONNECT 127.0.0.1:8080 HTTP/1.1", 403),
        ("CONNECT 10.0.0.1:443 HTTP/1.1", 403),
        ("CONNECT 169.254.169.254:80 HTTP/1.1", 403),
        ("CONNECT 172.16.0.1:443 HTTP/1.1", 403),
        ("CONNECT 192.168.1.1:443 HTTP/1.1", 403),
        ("CONNECT [::1]:8080 HTTP/1.1", 403),
        ("CONNECT [::ffff:10.0.0.1]:443 HTTP/1.1", 403),
        ("CONNECT [fd00::1]:443 HTTP/1.1", 403),
        ("CONNECT [fe80::1]:443 HTTP/1.1", 403),
        ("CONNECT [64:ff9b::a00:1]:443 HTTP/1.1", 403),
        ("CONNECT [::127.0.0.1]:8080 HTTP/1.1", 403),
        ("CONNECT [2002:a00:1::]:443 HTTP/1.1", 403),
        (f"CONNECT {PUBLIC}:22 HTTP/1.1", 403),
        ("CONNECT localhost:8080 HTTP/1.1", 403),
        ("CONNECT site.example:443 HTTP/1.1", 403),
        (f"CONNECT {int.from_bytes(bytes([127, 0, 0, 1]))}:8080 HTTP/1.1", 403),
        ("CONNECT 127.1:8080 HTTP/1.1", 403),
        (f"GET http://{PUBLIC}:{SITE_PORT}/ HTTP/1.1", 403),
        (f"GET http://127.0.0.1:{SITE_PORT}/ HTTP/1.1", 403),
    ],
)
async def test_squid_makes_tunnels_to_public_addresses_of_the_web_alone(
    squid: int, site: list[str], request_line: str, status: int
) -> None:
    """Names, private addresses, other ports and anything but tunnels are refused."""
    reader, writer = await asyncio.open_connection("127.0.0.1", squid)
    writer.write(f"{request_line}\r\nHost: {request_line.split()[1]}\r\n\r\n".encode())
    try:
        line = await asyncio.wait_for(reader.readline(), UP_SECONDS)
    finally:
        writer.close()

    assert status == int(line.split()[1]), line
    assert [] == site
