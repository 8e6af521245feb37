"""A run that a question in OpenAI's form begins, and its stream: the question, then what is seen.

The question is a call that begins the run. The stream that watches it is another, as WatchResearch
is: with its own looks at who calls and what they may do. A caller who leaves ends the stream alone.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from starlette.responses import Response

from scops.api.v1alpha1 import research_service_pb2 as researches
from scops.api.v1alpha1 import search_service_pb2 as search
from scops.gateway.adapters.http.openai.calls import Telling
from scops.gateway.adapters.http.openai.research_values import Progress, answer_parts, ended_answer
from scops.gateway.calls import CallOutcome
from scops.gateway.streams import OpenStream

Watch = Callable[[str], AbstractAsyncContextManager[OpenStream]]


class ResearchTelling:
    """How a caller is told of a run.

    Args:
        about: what each part of the response says of itself; why the run stopped is added.
        telling: how the parts of a stream are told; None where the caller waits for the whole.
        whole: makes the response for one who waits.
    """

    def __init__(
        self,
        about: dict[str, Any],
        telling: Telling | None,
        whole: Callable[[search.AnswerResponse], Response],
    ) -> None:
        self._about = about
        self._telling = telling
        self._whole = whole
        self._progress = Progress()
        self._has_begun = False

    def of(self, seen: researches.WatchResearchResponse) -> bytes | Response | None:
        """Returns what is told of a run as it stands; None for nothing."""
        has_ended = seen.research.state != researches.Research.STATE_RUNNING
        if has_ended:
            self._about["stop_reason"] = seen.research.stop_reason
        if self._telling is None:
            return self._whole(ended_answer(seen)) if has_ended else None
        events: list[bytes] = []
        if not self._has_begun:
            self._has_begun = True
            events += self._telling.of(search.StreamAnswerResponse())
        events += map(self._telling.progress, self._progress.of(seen.research))
        if has_ended:
            for part in answer_parts(ended_answer(seen)):
                events += self._telling.of(part)
        return b"".join(events) or None


@dataclass(frozen=True, slots=True)
class BegunResearch:
    """The part of a call that has begun a run.

    Attributes:
        name: `researches/{research}`.
    """

    name: str
    telling: ResearchTelling


class FollowedStream:
    """A stream, and behind one that has begun a run what is seen of that."""

    def __init__(self, first: OpenStream, watch: Watch, stack: AsyncExitStack) -> None:
        self._stream = first
        self._watch = watch
        self._stack = stack
        self._begun: BegunResearch | None = None

    async def next(self, within: float | None = None) -> CallOutcome | None:
        """Returns what `OpenStream` does."""
        while True:
            outcome = await self._stream.next(within)
            if outcome is None or outcome.failure is not None:
                return outcome
            if isinstance(outcome.response, BegunResearch):
                self._begun = outcome.response
                # The call that began it ends first: each caller may have few streams open.
                if (ended := await self._stream.next()) is not None:
                    return ended
                watched = self._watch(self._begun.name)
                self._stream = await self._stack.enter_async_context(watched)
            elif self._begun is None:
                return outcome
            elif (told := self._begun.telling.of(outcome.response)) is not None:
                return replace(outcome, response=told)


@asynccontextmanager
async def followed(
    first: AbstractAsyncContextManager[OpenStream], watch: Watch
) -> AsyncIterator[FollowedStream]:
    """Opens a stream, and the one that watches the run which it may begin.

    Args:
        watch: opens the stream of a run by its name.
    """
    async with AsyncExitStack() as stack:
        yield FollowedStream(await stack.enter_async_context(first), watch, stack)
