"""A web of logins in memory; what it answers is a function of the request."""

from collections.abc import Callable

from scops.fetcher.ports.page_source import Failed, RequestGate
from scops.fetcher.ports.sign_in import SignInAnswer, SignInRequest

Answered = Callable[[SignInRequest], SignInAnswer | Failed]


class FakeSignIn:
    """A `SignInSource`; see there for the contract.

    Attributes:
        sent: every request, in turn.
    """

    def __init__(self) -> None:
        self.sent: list[SignInRequest] = []
        self._answers: dict[tuple[str, bool], Answered] = {}

    def serve(self, url: str, answer: Answered, *, posts: bool = False) -> None:
        """Answers GET, or POST, of a URL by a function from now on."""
        self._answers[url, posts] = answer

    async def send(self, request: SignInRequest, gate: RequestGate) -> SignInAnswer | Failed:
        async with gate.request(request.url):
            self.sent.append(request)
            answer = self._answers.get((request.url, request.form is not None))
            return answer(request) if answer else _nothing(request)

    async def close(self) -> None:
        return None


def _nothing(request: SignInRequest) -> SignInAnswer:
    return SignInAnswer(url=request.url, status=404)
