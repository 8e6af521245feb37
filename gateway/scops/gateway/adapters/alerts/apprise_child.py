"""A child process that sends one message by apprise: a JSON object in, one out.

It connects only where `AddressPolicy` lets it, whatever library opens the socket, and to nothing
on the machine itself.
"""

import _socket
import json
import logging
import resource
import socket
import sys
from typing import Any

from scops.common.egress.address import (
    AddressDenied,
    AddressPolicy,
    Refusal,
    parse_allowed_ranges,
    parse_networks,
)

MEMORY_BYTES_MAX = 1024 * 1024 * 1024
CPU_SECONDS_MAX = 30
SETTING = "SCOPS_GATEWAY_WATCH_ALLOWED_PRIVATE"


def main() -> None:
    """Sends what stands on the input, and says how that went."""
    asked = json.loads(sys.stdin.buffer.read())
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS_MAX, CPU_SECONDS_MAX))
    guard_sockets(
        AddressPolicy(
            allowed=parse_allowed_ranges(asked["allowed"]),
            denied=parse_networks(asked["denied"]),
            setting=SETTING,
        )
    )
    print(json.dumps(sent(asked["address"], title=asked["title"], body=asked["body"])))


def guard_sockets(policy: AddressPolicy) -> None:
    """Has every socket of this process refuse what the policy does.

    A name is looked up once, so that what was judged is what is reached.
    """

    plain: Any = _socket.socket

    def judged(one: socket.socket, address: Any) -> Any:
        if one.family not in (socket.AF_INET, socket.AF_INET6):
            raise AddressDenied(Refusal("ADDRESS_DENIED", "Only the network is reached."))
        host, port, *rest = address
        found = socket.getaddrinfo(host, port, one.family, one.type)
        number = str(found[0][4][0])
        policy.check(number, port)
        return (number, port, *rest)

    def connect(self: socket.socket, address: Any) -> None:
        plain.connect(self, judged(self, address))

    def connect_ex(self: socket.socket, address: Any) -> Any:
        return plain.connect_ex(self, judged(self, address))

    def sendto(self: socket.socket, data: Any, *arguments: Any) -> Any:
        *flags, address = arguments
        return plain.sendto(self, data, *flags, judged(self, address))

    def sendmsg(self: socket.socket, buffers: Any, *arguments: Any) -> Any:
        if len(arguments) > 2 and arguments[2] is not None:
            arguments = (*arguments[:2], judged(self, arguments[2]))
        return plain.sendmsg(self, buffers, *arguments)

    for guarded in (connect, connect_ex, sendto, sendmsg):
        # TLS sockets are of this class, too.
        setattr(socket.socket, guarded.__name__, guarded)


def sent(address: str, *, title: str, body: str) -> dict[str, object]:
    """Sends a message, and returns how that went."""
    from apprise import Apprise, NotifyFormat, NotifyType

    said = LastWarning()
    logging.getLogger("apprise").addHandler(said)
    service = Apprise()
    if not service.add(address):
        return {"delivered": False, "failure": f"Apprise cannot read the address. {said.text}"}
    delivered = service.notify(
        body=body, title=title, notify_type=NotifyType.INFO, body_format=NotifyFormat.TEXT
    )
    return {"delivered": bool(delivered), "failure": "" if delivered else said.text}


class LastWarning(logging.Handler):
    """Keeps what apprise warned of last."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text = record.getMessage()


if __name__ == "__main__":
    main()
