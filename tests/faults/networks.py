"""The ways from roles to their servers, which a test makes slow, lossy, deaf or mute.

with ways_before([15432]) as way:
    connect("127.0.0.1", way.ports[15432])
    with way.troubled(Trouble(latency_seconds=0.2)), way.losing(Loss(answers=1.0)):
        ...
    way.reset()
"""

import asyncio
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, contextmanager

from tests.fakes.servers.firewall import Loss, losing
from tests.fakes.servers.proxy import Network, Trouble, troubled

HOST = "127.0.0.1"


class Way:
    """The way to a server, of whose ports each has one before it.

    Attributes:
        ports: those to connect to, by the server's own.
    """

    def __init__(self, networks: dict[int, Network], loop: asyncio.AbstractEventLoop) -> None:
        self._networks = networks
        self._loop = loop
        self.ports = {port: network.port for port, network in networks.items()}

    @contextmanager
    def troubled(self, trouble: Trouble) -> Iterator[None]:
        """Delays, throttles or stalls what passes, while inside."""
        for network in self._networks.values():
            network.trouble = trouble
        try:
            yield
        finally:
            for network in self._networks.values():
                network.trouble = Trouble()

    def losing(self, loss: Loss) -> AbstractContextManager[None]:
        """Loses packets while inside; the system sends them again, as it does anywhere."""
        return losing(list(self.ports.values()), loss)

    def reset(self) -> None:
        """Ends every open connection with RST on both sides."""
        for network in self._networks.values():
            self._loop.call_soon_threadsafe(network.reset)


@contextmanager
def ways_before(ports: Sequence[int]) -> Iterator[Way]:
    """Listens before a server's ports, in a thread of its own, while inside."""
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        thread = threading.Thread(target=loop.run_forever)
        thread.start()
        stack = AsyncExitStack()
        try:
            yield Way({port: _listen(loop, stack, port) for port in ports}, loop)
        finally:
            asyncio.run_coroutine_threadsafe(stack.aclose(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
            thread.join()


def _listen(loop: asyncio.AbstractEventLoop, stack: AsyncExitStack, port: int) -> Network:
    entering = stack.enter_async_context(troubled(HOST, port))
    return asyncio.run_coroutine_threadsafe(entering, loop).result()
