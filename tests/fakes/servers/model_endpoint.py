"""An endpoint of the OpenAI form on the loopback, whose answers a test gives."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.Response]]


def completion(text: str | None, *, finish: str = "stop") -> dict[str, Any]:
    """Returns the body of a reply with one choice."""
    message = {"role": "assistant", "content": text}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }


@asynccontextmanager
async def model_endpoint(answer: Answer) -> AsyncIterator[str]:
    """Serves completions on a free port; yields the URL up to /v1."""
    app = web.Application()
    app.router.add_post("/v1/chat/completions", answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()
