"""Brings documents of files into a scope: what is new or other than before, and nothing else."""

import hashlib
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scops.api.v1alpha1 import page_service_pb2 as pb
from scops.client.errors import Conflict, InvalidRequest, NotFound
from scops.common.scope.urls import file_uri
from scops.standalone.commands.files.documents import (
    FileDocument,
    Unread,
    read_documents,
)
from scops.standalone.commands.files.finding import FoundFile, FoundFiles
from scops.standalone.commands.transfer.patience import ask
from scops.standalone.terminal.client import GatewayClient
from scops.standalone.terminal.exits import CommandError, Exit

PAGES_AT_ONCE = 100
# Of calls for a page whose earlier content is on its way.
BUSY_ATTEMPTS_MAX = 60
BUSY_SECONDS = 1.0
POLL_SECONDS, POLL_SECONDS_MAX, POLL_GROWTH = 0.5, 5.0, 1.3
STANDING = ("fetched", "unmodified")
FAILED = "failed"
# Why no text was found in what came in, and what to do about it.
REFUSALS = {
    "scanned": "its pages are pictures, and no text was read in them; have the extractor read such "
    "pages by OCR (SCOPS_EXTRACTOR_OCR_LANGUAGES), or have another program add text to them",
    "empty": "no text was found in it; see that it holds more than pictures",
    "unsupported": "it is damaged, encrypted, or of another format than its name says; open it "
    "and save it anew",
}
NO_PAGE: Any = pb.Page()
_Signature = tuple[int, int, int]


@dataclass(slots=True)
class AddedFiles:
    """What became of some files, in documents."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    closed: int = 0
    # Taken in, and not in the index yet when the command ended.
    on_their_way: int = 0
    unread: list[Unread] = field(default_factory=list)

    @property
    def is_quiet(self) -> bool:
        """Whether nothing was done and nothing went wrong."""
        done = (self.added, self.changed, self.closed, self.on_their_way)
        return not any(done) and not self.unread


class Adding:
    """Adds files to a collection of a scope; it knows what it took before."""

    def __init__(self, client: GatewayClient, scope: str, collection: str) -> None:
        self._client, self._scope, self._collection = client, scope, collection
        # Files that were taken whole, as they were then, with their documents.
        self._taken: dict[Path, tuple[_Signature, tuple[str, ...]]] = {}
        self._sent: dict[str, str] = {}

    def add(self, found: FoundFiles, tally: AddedFiles) -> Iterator[int]:
        """Sends what is new or changed; yields how many files are done, file by file.

        Raises:
            CommandError: there is no such scope.
            scops.client.ScopsError: the gateway refuses, or today has no room for more.
        """
        self._known = {page.uri: page for page in self._pages()}
        self._seen: set[str] = set()
        self._unsure = [self._uri(name) for name in found.unread_folders]
        self._sent = {}
        for name, why in found.unread_folders.items():
            tally.unread.append(Unread(self._uri(name), f"{why}; let this user read the folder"))
        for number, file in enumerate(found.files, 1):
            self._add_file(file, tally)
            yield number

    def add_documents(self, documents: Iterable[FileDocument], tally: AddedFiles) -> None:
        """Sends documents that are no files, where they are new or changed.

        Args:
            documents: of the collection, each once.

        Raises:
            CommandError, scops.client.ScopsError: as of `add`.
        """
        self._known = {page.uri: page for page in self._pages()}
        self._seen, self._sent = set(), {}
        for document in documents:
            problem = self._add_document(document, tally)
            if problem is not None:
                tally.unread.append(problem)

    def prune(self, below: str, tally: AddedFiles) -> None:
        """Closes the pages of documents that are not there any more.

        Args:
            below: only what lies below this name in the collection; empty for all.
        """
        start = self._uri(below) if below else f"file://{self._collection}/"
        for uri, page in self._known.items():
            kept = uri in self._seen or any(_below(uri, one) for one in self._unsure)
            if page.status in (*STANDING, FAILED) and _below(uri, start) and not kept:
                self._put(pb.PutPageCaptureRequest(uri=uri, gone=True))
                tally.closed += 1

    def wait(self, tally: AddedFiles, *, seconds: float) -> Iterator[int]:
        """Waits until what was sent is indexed or refused; yields how many are left."""
        ends, pause = time.monotonic() + seconds, POLL_SECONDS
        while self._sent and time.monotonic() < ends:
            time.sleep(pause)
            pause = min(pause * POLL_GROWTH, POLL_SECONDS_MAX)
            for page in self._pages():
                if self._sent.get(page.uri) == page.content_digest:
                    del self._sent[page.uri]
                elif page.uri in self._sent and page.status == FAILED:
                    self._refuse(page, tally)
            yield len(self._sent)
        tally.on_their_way = len(self._sent)

    def _refuse(self, page: Any, tally: AddedFiles) -> None:
        del self._sent[page.uri]
        if self._known.get(page.uri, NO_PAGE).status in STANDING:
            tally.changed -= 1
        else:
            tally.added -= 1
        reason = page.last_reason
        why = REFUSALS.get(reason, f"it was not indexed ({reason}); `scops page trace` says why")
        tally.unread.append(Unread(page.uri, why))

    def _add_file(self, file: FoundFile, tally: AddedFiles) -> None:
        signature = _signature(file.path)
        before = self._taken.get(file.path)
        if before is not None and before[0] == signature:
            self._seen.update(before[1])
            tally.unchanged += len(before[1])
            return
        self._taken.pop(file.path, None)
        uris, whole = [], True
        for one in read_documents(file, self._collection):
            problem = one if isinstance(one, Unread) else self._add_document(one, tally)
            if problem is None:
                uris.append(one.uri)
                continue
            tally.unread.append(problem)
            # It is there, whatever is wrong with it now; so are its lines.
            self._unsure.append(problem.uri.partition("#")[0])
            whole = False
        if whole and signature is not None:
            self._taken[file.path] = (signature, tuple(uris))

    def _add_document(self, document: FileDocument, tally: AddedFiles) -> Unread | None:
        self._seen.add(document.uri)
        digest = hashlib.sha256(document.content).hexdigest()
        known = self._known.get(document.uri, NO_PAGE)
        stands = known.status in STANDING
        if stands and known.content_digest == digest:
            tally.unchanged += 1
            return None
        request = pb.PutPageCaptureRequest(
            uri=document.uri,
            content=document.content,
            media_type=document.media_type,
            charset=document.charset,
        )
        if document.modified is not None:
            request.last_modified_time.FromDatetime(document.modified)
        try:
            self._put(request)
        except InvalidRequest as error:
            return Unread(document.uri, error.message)
        self._sent[document.uri] = digest
        if stands:
            tally.changed += 1
        else:
            tally.added += 1
        return None

    def _put(self, request: pb.PutPageCaptureRequest) -> None:
        """Sends a capture; where an earlier one of the page is on its way, again."""
        request.scope = f"scopes/{self._scope}"
        for _ in range(BUSY_ATTEMPTS_MAX):
            try:
                ask(self._client, self._client.pages.PutPageCapture, request)
            except Conflict:
                time.sleep(BUSY_SECONDS)
            else:
                return
        ask(self._client, self._client.pages.PutPageCapture, request)

    def _pages(self) -> Iterator[Any]:
        request = pb.ListPagesRequest(
            scope=f"scopes/{self._scope}",
            prefix=f"file://{self._collection}",
            page_size=PAGES_AT_ONCE,
        )
        while True:
            try:
                answer = ask(self._client, self._client.pages.ListPages, request)
            except NotFound as error:
                raise CommandError(
                    f"There is no scope {self._scope}, or you may not see it. Create it: "
                    f"scops scope create {self._scope} --include file://{self._collection}",
                    code=Exit.NOT_FOUND,
                    reason=error.reason,
                ) from error
            yield from (page for page in answer.pages if page.captured_by)
            if not answer.next_page_token:
                return
            request.page_token = answer.next_page_token

    def _uri(self, name: str) -> str:
        return file_uri(self._collection, name.encode(errors="replace").decode())


def _below(uri: str, start: str) -> bool:
    return uri == start or uri.startswith(start if start.endswith("/") else f"{start}/")


def _signature(path: Path) -> _Signature | None:
    """Returns what tells that a file was not written since; None where it cannot be told."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
