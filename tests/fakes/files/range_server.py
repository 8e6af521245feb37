"""A server of files that answers range requests, as object stores do (RFC 9110, section 14)."""

import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_RANGE = re.compile(r"bytes=(\d+)-(\d+)")


class RangeServer:
    """Serves `files` by path; what was asked for is in `asked`.

    Attributes:
        tags: ETags by path; a file without one has none.
        busy: statuses and Retry-After of the next answers.
        takes_ranges: whether parts are given at all.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.tags: dict[str, str] = {}
        self.busy: list[tuple[int, str]] = []
        self.asked: list[tuple[str, str]] = []
        self.connections: set[int] = set()
        self.takes_ranges = True
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._answer(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Ends it."""
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path.partition("?")[0]
        self.asked.append((path, request.headers.get("Range", "")))
        self.connections.add(request.client_address[1])
        if self.busy:
            status, pause = self.busy.pop(0)
            _send(request, status, {"Retry-After": pause}, b"")
            return
        if path not in self.files:
            _send(request, 404, {}, b"")
            return
        data, tag = self.files[path], self.tags.get(path, "")
        headers = {"ETag": tag} if tag else {}
        found = _RANGE.fullmatch(request.headers.get("Range", ""))
        condition = request.headers.get("If-Range", tag)
        if found is None or not self.takes_ranges or condition != tag:
            _send(request, 200, headers, data)
            return
        start, end = int(found[1]), min(int(found[2]), len(data) - 1)
        if start >= len(data):
            _send(request, 416, {"Content-Range": f"bytes */{len(data)}"}, b"")
            return
        headers["Content-Range"] = f"bytes {start}-{end}/{len(data)}"
        _send(request, 206, headers, data[start : end + 1])


def _send(
    request: BaseHTTPRequestHandler, status: int, headers: dict[str, str], data: bytes
) -> None:
    request.send_response(status)
    for name, value in headers.items():
        request.send_header(name, value)
    request.send_header("Content-Length", str(len(data)))
    request.end_headers()
    request.wfile.write(data)
