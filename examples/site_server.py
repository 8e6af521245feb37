"""Serves an edition of the example site on loopback, with validators, like an ordinary origin.

`python -m examples.site_server [--port 8099] [--edition 1]` serves it by hand.
"""

import argparse
import hashlib
import sys
import threading
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path

SITE = Path(__file__).resolve().parent / "site"


class SiteServer:
    """An origin whose edition can be switched while it runs.

    Args:
        port: 0 takes a free one.
    """

    def __init__(self, *, edition: int = 1, port: int = 0) -> None:
        self.edition = edition
        self.answers: list[tuple[str, int]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                server._answer(self)

            def log_message(self, format: str, *args: object) -> None:
                """Stays silent: the demo's own output is what people read."""

        self._http = _Server(("127.0.0.1", port), Handler)
        self._http.daemon_threads = True

    @property
    def origin(self) -> str:
        """Such as `http://127.0.0.1:8099`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def start(self) -> None:
        """Serves from a thread of its own."""
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def serve_forever(self) -> None:
        """Serves until interrupted."""
        self._http.serve_forever()

    def stop(self) -> None:
        """Stops serving."""
        self._http.shutdown()
        self._http.server_close()

    def find(self, path: str) -> Path | None:
        """Returns the file of a path in the current edition, or None."""
        name = path.split("?", 1)[0].lstrip("/") or "index.html"
        name = f"{name}index.html" if name.endswith("/") else name
        removed = (SITE / "edition-2" / "REMOVED").read_text().split()
        folders = ("edition-2", "edition-1") if self.edition == 2 else ("edition-1",)
        if name == "REMOVED" or (self.edition == 2 and name in removed):
            return None
        candidates = ((SITE / folder / name).resolve() for folder in folders)
        return next((path for path in candidates if path.is_file() and SITE in path.parents), None)

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        found = self.find(request.path)
        if found is None:
            self._send(request, 404, b"<title>Not found</title>", {"Content-Type": "text/html"})
            return
        body = found.read_bytes().replace(b"{origin}", self.origin.encode())
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        headers = {
            "Content-Type": guess_type(found.name)[0] or "application/octet-stream",
            "ETag": etag,
            "Last-Modified": formatdate(found.stat().st_mtime, usegmt=True),
        }
        if request.headers.get("If-None-Match") == etag:
            self._send(request, 304, b"", {"ETag": etag})
        else:
            self._send(request, 200, body, headers)

    def _send(
        self, request: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str]
    ) -> None:
        self.answers.append((request.path, status))
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


class _Server(ThreadingHTTPServer):
    """Visitors who leave early are no error of ours."""

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def main() -> None:
    """Serves by hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8099)
    parser.add_argument("--edition", type=int, choices=(1, 2), default=1)
    options = parser.parse_args()
    server = SiteServer(edition=options.edition, port=options.port)
    print(f"edition {options.edition} at {server.origin}/")
    server.serve_forever()


if __name__ == "__main__":
    main()
