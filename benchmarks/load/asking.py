"""Clients that ask, read the answer for a while and ask again, each over its own channel."""

import random
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from benchmarks.shared.system.client import CALL_SECONDS, UNANSWERED, Client

CLIENTS = 8
READING_SECONDS = 1.0
LIMIT = 10
RECIPE = "default"
QUESTIONS = 2_000
QUESTION_WORDS = 6
_TAG = re.compile(rb"<(script|style)\b.*?</\1\s*>|<[^>]*>", re.IGNORECASE | re.DOTALL)
_WORD = re.compile(r"[A-Za-z]{3,}")


@dataclass(slots=True)
class Asked:
    """The questions of all clients so far.

    Attributes:
        seconds: each until its answer; one without an answer counts with `CALL_SECONDS`.
        failed: those without an answer.
    """

    seconds: list[float] = field(default_factory=list)
    failed: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, seconds: float, *, answered: bool) -> None:
        """Notes a question."""
        with self._lock:
            self.seconds.append(seconds if answered else max(seconds, CALL_SECONDS))
            self.failed += not answered


def questions_of(pages: Mapping[str, bytes], chance: random.Random) -> list[str]:
    """Returns runs of words that stand in the pages.

    Raises:
        SystemExit: no page has as many words as a question.
    """
    texts = [_WORD.findall(_TAG.sub(b" ", body).decode(errors="ignore")) for body in pages.values()]
    texts = [words for words in texts if len(words) > QUESTION_WORDS]
    if not texts:
        raise SystemExit("benchmarks.load: the pages have no words to ask for")
    found = []
    for _ in range(QUESTIONS):
        words = chance.choice(texts)
        start = chance.randrange(len(words) - QUESTION_WORDS)
        found.append(" ".join(words[start : start + QUESTION_WORDS]))
    return found


@contextmanager
def asking(
    address: str,
    scope_id: str,
    questions: Sequence[str],
    *,
    clients: int = CLIENTS,
    reading_seconds: float = READING_SECONDS,
) -> Iterator[Asked]:
    """Lets clients ask while inside; yields what they have asked so far.

    Args:
        reading_seconds: from an answer to the client's next question.
    """
    asked, ended = Asked(), threading.Event()

    def ask(number: int) -> None:
        pause = reading_seconds * number / clients
        with Client(address) as client:
            for question in _endless(questions, number, clients):
                if ended.wait(pause):
                    return
                seconds, answered = _timed(client, scope_id, question)
                asked.add(seconds, answered=answered)
                pause = reading_seconds

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    try:
        yield asked
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _timed(client: Client, scope_id: str, question: str) -> tuple[float, bool]:
    started = time.perf_counter()
    try:
        answered = bool(client.search(scope_id, question, LIMIT, recipe=RECIPE))
    except UNANSWERED:
        answered = False
    return time.perf_counter() - started, answered


def _endless(questions: Sequence[str], first: int, step: int) -> Iterator[str]:
    place = first
    while True:
        yield questions[place % len(questions)]
        place += step
