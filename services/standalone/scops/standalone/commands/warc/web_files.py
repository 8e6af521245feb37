"""Files at URLs: whole ones, and parts of them by range requests, and nothing within (`guarded`).

Source: RFC 9110, sections 13.1.5 (If-Range), 14 (ranges) and 10.2.3 (Retry-After). One request at
a time, over a connection that is kept.
"""

import io
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from typing import IO

import httpx

from scops.fetcher.adapters.apis.guarded import GuardedTransport, refused_by_guard, sent
from scops.fetcher.adapters.http.headers import retry_after_seconds

URLS = ("http://", "https://")
# Without a byte.
READ_SECONDS = 60.0
READ_BYTES = 256 * 1024
# Of a file that is read part by part, as a ZIP file is.
PART_BYTES = 4 * 1024 * 1024
TRIES_MAX = 5
PAUSE_SECONDS, PAUSE_SECONDS_MAX = 1.0, 120.0
BUSY = (429, 500, 502, 503, 504)
_CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")


class WebFiles:
    """Reads files at URLs, and notices where one changes between two of its parts.

    Args:
        sleep: waits so many seconds before a server is asked again.
    """

    def __init__(self, *, sleep: Callable[[float], None] = time.sleep) -> None:
        # What is packed is taken as it lies there.
        headers = {"User-Agent": f"scops/{version('scops')}", "Accept-Encoding": "identity"}
        self._guard = GuardedTransport(connections_max=1)
        self._client = httpx.Client(headers=headers, timeout=READ_SECONDS, transport=self._guard)
        self._sleep = sleep
        # Of the file that was read last: its URL, and what tells one state of it from another.
        self._read: tuple[str, str] = ("", "")

    def close(self) -> None:
        """Closes the connection."""
        self._client.close()

    def download(self, url: str, file: IO[bytes]) -> None:
        """Writes a whole file, and goes back to its beginning.

        Raises:
            OSError: it is not there, or does not come whole.
        """
        with self._answered(url, {}) as answer:
            if answer.status_code != 200:
                raise OSError(f"answered {answer.status_code}")
            for data in _body(answer):
                file.write(data)
            stated = answer.headers.get("Content-Length", "")
        if stated.isdecimal() and file.tell() < int(stated):
            raise OSError(f"{file.tell()} of {stated} bytes came")
        file.seek(0)

    def part(self, url: str, start: int, length: int) -> bytes:
        """Returns some bytes of a file, fewer where it ends before.

        Raises:
            OSError: it is not there, changed since its last part, or is not given in parts.
        """
        return self._part(url, start, length)[0]

    def opened(self, url: str) -> IO[bytes]:
        """Returns a file that is read part by part, where it is read.

        Raises:
            OSError: as of `part`.
        """
        return io.BufferedReader(_PartFile(self, url, self.size(url)), PART_BYTES)

    def size(self, url: str) -> int:
        """Returns how many bytes a file has.

        Raises:
            OSError: as of `part`, or its server does not say.
        """
        total = self._part(url, 0, 1)[1]
        if not total.isdecimal():
            raise OSError("its size is not said; download it first")
        return int(total)

    def _part(self, url: str, start: int, length: int) -> tuple[bytes, str]:
        headers = {"Range": f"bytes={start}-{start + length - 1}"}
        state = self._read[1] if self._read[0] == url else ""
        if state.startswith('"'):
            # Weak ones and dates do not serve here; they are compared below.
            headers["If-Range"] = state
        with self._answered(url, headers) as answer:
            if answer.status_code == 200:
                why = "changed while it was read; begin anew" if state else "is not given in parts"
                raise OSError(why if state else f"{why}; download it first")
            if answer.status_code == 416:
                raise OSError(f"ends before byte {start}")
            stated = _CONTENT_RANGE.fullmatch(answer.headers.get("Content-Range", ""))
            if answer.status_code != 206 or stated is None or int(stated[1]) != start:
                raise OSError(f"answered {answer.status_code} to a request for a part")
            now = _state(answer, stated[3])
            if state and now != state:
                raise OSError("changed while it was read; begin anew")
            self._read = (url, now)
            data = b"".join(_bounded(_body(answer), length))
        if len(data) != int(stated[2]) - start + 1:
            raise OSError(f"{len(data)} bytes of a part came")
        return data[:length], stated[3]

    @contextmanager
    def _answered(self, url: str, headers: dict[str, str]) -> Iterator[httpx.Response]:
        """Asks until the server is not busy, as late as it says."""
        self._guard.name(url)
        for number in range(1, TRIES_MAX + 1):
            pause = PAUSE_SECONDS * 2 ** (number - 1)
            try:
                answer = sent(self._client, self._client.build_request("GET", url, headers=headers))
            except httpx.TransportError as error:
                if refused_by_guard(error):
                    raise OSError(str(error)) from error
                if number == TRIES_MAX:
                    raise OSError(f"does not answer: {error}") from error
            except (httpx.TooManyRedirects, httpx.InvalidURL) as error:
                raise OSError(f"cannot be asked: {error}") from error
            else:
                with_answer = answer.status_code not in BUSY
                if with_answer or number == TRIES_MAX:
                    try:
                        yield answer
                    finally:
                        answer.close()
                    return
                answer.close()
                stated = answer.headers.get("Retry-After", "")
                pause = retry_after_seconds(stated, datetime.now(UTC)) or pause
                if pause > PAUSE_SECONDS_MAX:
                    raise OSError(f"answered {answer.status_code}; ask again in {pause:.0f} s")
            self._sleep(pause)


class _PartFile(io.RawIOBase):
    """A file at a URL that can be read from any place."""

    def __init__(self, web: WebFiles, url: str, size: int) -> None:
        self._web, self._url, self._size, self._place = web, url, size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        begin = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        self._place = max(0, begin + offset)
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        length = min(len(buffer), self._size - self._place)
        if length <= 0:
            return 0
        data = self._web.part(self._url, self._place, length)
        buffer[: len(data)] = data
        self._place += len(data)
        return len(data)


def _body(answer: httpx.Response) -> Iterator[bytes]:
    try:
        yield from answer.iter_raw(READ_BYTES)
    except httpx.TransportError as error:
        raise OSError(f"broke off: {error}") from error


def _bounded(parts: Iterator[bytes], length: int) -> Iterator[bytes]:
    """Yields parts until more has come than was asked for."""
    for part in parts:
        yield part
        length -= len(part)
        if length < 0:
            raise OSError("more came than a part")


def _state(answer: httpx.Response, total: str) -> str:
    """Returns what tells this state of a file from another: its ETag, else date and size."""
    tag = answer.headers.get("ETag", "")
    return tag or f"{answer.headers.get('Last-Modified', '')} of {total} bytes"
