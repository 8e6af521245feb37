"""The health server: /livez, /readyz and /metrics of one process."""

from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

from scops.common.config.settings import CommonSettings
from scops.common.contract.errors import StoreUnavailable
from scops.common.observe.exposition import exposition
from scops.common.observe.log import get_logger, printable_value

log = get_logger(__name__)
# What is wrong, by the name of the check; empty when nothing is.
Problems = Callable[[], Awaitable[Mapping[str, str]]]
CONTENT_TYPE = "Content-Type"


class HealthServer:
    """Serves the state of a process over HTTP.

    Args:
        alive: problems that only a restart cures; /livez answers 503 when there are any.
        ready: problems that keep work away; /readyz answers 503 and names them.
    """

    def __init__(self, common: CommonSettings, *, alive: Problems, ready: Problems) -> None:
        self._common = common
        self._alive = alive
        self._ready = ready
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def start(self) -> str:
        """Listens and returns the base URL.

        Raises:
            StoreUnavailable: the port is taken.
        """
        app = web.Application()
        app.router.add_get("/livez", self._respond(lambda: self._alive()))
        app.router.add_get("/readyz", self._respond(lambda: self._ready()))
        app.router.add_get("/metrics", _metrics)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        host, port = self._common.health_host, self._common.health_port
        try:
            await web.TCPSite(self._runner, host, port).start()
        except OSError as error:
            await self._runner.cleanup()
            raise StoreUnavailable(
                f"The health server cannot listen on {host}:{port}: {error.strerror or error}. "
                "Set SCOPS_HEALTH_PORT to a free port, or to 0 for any.",
                reason="HEALTH_PORT_TAKEN",
            ) from error
        address = self._runner.addresses[0]
        self.url = f"http://{address[0]}:{address[1]}"
        log.info("health_listening", url=self.url)
        return self.url

    def follow(self, *, alive: Problems, ready: Problems) -> None:
        """Tells from now on what others know better."""
        self._alive = alive
        self._ready = ready

    async def stop(self) -> None:
        """Listens no more."""
        if self._runner is not None:
            await self._runner.cleanup()

    def _respond(self, problems: Problems) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def respond(request: web.Request) -> web.Response:
            # What others said, a store's driver among them, is told as the log tells it.
            found = printable_value(dict(await problems()), lines=True)
            body = {"ok": not found, "problems": found}
            return web.json_response(body, status=503 if found else 200)

        return respond


async def _metrics(request: web.Request) -> web.Response:
    body, content_type = exposition(request.headers.get("Accept", ""))
    return web.Response(body=body, headers={CONTENT_TYPE: content_type})
