"""What a method of the client asks of whoever carries its calls: calls and pauses.

A method is written once, as a generator: it yields what it wants done, is sent what came of it,
and returns its value. `scops.client.scops` carries it in the thread that asks, and
`scops.client.async_scops` in an event loop; neither knows any method.
"""

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a method of the API; its response is the message.

    Attributes:
        service: such as `SearchService`.
        fields: of the request, by name: values, or what `scops.client.codec` makes messages of.
        is_harmless: done twice, it changes no more than done once, whatever the protos say.
    """

    service: str
    method: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    is_harmless: bool = False


@dataclass(frozen=True, slots=True)
class Pause:
    """Waits for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Attempt:
    """Makes a call once, within so many seconds; its request is the same for all attempts."""

    call: Call
    request: Any
    seconds: float


@dataclass(frozen=True, slots=True)
class Renewal:
    """Asks for a fresh credential in place of one that was refused; whether there is one."""


@dataclass(frozen=True, slots=True)
class Streaming(Generic[Item]):
    """A stream of parts, which are read as they come.

    Attributes:
        read: makes an item of a message.
        lasts: it goes on until something ends, and is opened again where it breaks off.
        cursor: the field of a message from which it goes on then, and of the request; empty for
            none: it begins with how things stand.
        is_told: whether an item is for the caller.
    """

    call: Call
    read: Callable[[Any], Item]
    lasts: bool = False
    cursor: str = ""
    is_told: Callable[[Item], bool] = bool


@dataclass(frozen=True, slots=True)
class Opening:
    """Opens a stream in place of the one that was open; seconds are None for no end."""

    call: Call
    request: Any
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Coming:
    """Waits for the next message of the stream that is open; None once it has ended."""


@dataclass(frozen=True, slots=True)
class Part(Generic[Item]):
    """Gives an item to whoever reads the stream."""

    item: Item


@dataclass(frozen=True, slots=True)
class Last(Generic[Item]):
    """Reads a stream to its end within so many seconds, and returns its last item."""

    streaming: Streaming[Item]
    seconds: float


Step = Call | Pause | Attempt | Renewal | Last[Any]
StreamStep = Opening | Coming | Part[Any] | Pause | Renewal
StreamPlan = Generator[StreamStep, Any, None]
Plan = Generator[Step, Any, Result]


@dataclass(frozen=True, slots=True)
class Listing(Generic[Item]):
    """A list that is read page by page, as it is iterated over.

    Attributes:
        call: of the first page.
        items: the field of the response that holds them.
        kind: of the items.
    """

    call: Call
    items: str
    kind: type[Item]

    def page(self, token: str) -> Plan[tuple[list[Item], str]]:
        """Returns the items of a page and the token of the next one; empty for the last."""
        from scops.client.codec import read

        fields = {**self.call.fields, "page_token": token}
        response = yield Call(self.call.service, self.call.method, fields)
        found = [read(self.kind, one) for one in getattr(response, self.items)]
        return found, str(response.next_page_token)
