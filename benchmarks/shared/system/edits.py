"""Edits of pages at the origin, and how long an answer takes to cite them."""

import random
import time
from collections.abc import Collection
from dataclasses import dataclass, field

from benchmarks.shared.system.client import Client
from benchmarks.shared.system.html_pages import with_sentence
from benchmarks.shared.system.origin import Origin
from scops.api.v1alpha1.search_service_pb2 import AnswerResponse

SEEN_SECONDS_MAX = 30.0
POLL_SECONDS = 0.05
SYLLABLES = ("bra", "del", "fen", "gor", "hol", "jis", "kem", "lu", "nor", "pil", "quo", "zan")


@dataclass(frozen=True, slots=True)
class EditTimes:
    """Seconds from each edit to an answer that cites it; one never seen counts with the limit."""

    seconds: list[float] = field(default_factory=list)
    unseen: int = 0


@dataclass(frozen=True, slots=True)
class Fact:
    """A made-up fact: what is put into a page, how it is asked for, how its quote is known."""

    name: str
    number: int

    @property
    def sentence(self) -> str:
        return f"The {self.name} gauge shows {self.number} millibar in the morning."

    @property
    def question(self) -> str:
        return f"What does the {self.name} gauge show?"

    def is_cited(self, answer: AnswerResponse) -> bool:
        """Returns whether a quote states the fact."""
        parts = (self.name, str(self.number))
        return any(all(part in one.quote for part in parts) for one in answer.citations)


def edit_share(origin: Origin, share: float, chance: random.Random) -> list[str]:
    """Puts a sentence into the main text of a share of the pages, at least one.

    Raises:
        SystemExit: no page has a text that a sentence could be put into.
    """
    wanted = max(1, round(len(origin.paths) * share))
    edited: list[str] = []
    for path in chance.sample(origin.paths, len(origin.paths)):
        if len(edited) == wanted:
            break
        if _put(origin, path, _fact(chance)):
            edited.append(path)
    if not edited:
        raise SystemExit("benchmarks: no page has running text that could be edited")
    return edited


def time_edits(
    client: Client,
    scope_id: str,
    origin: Origin,
    *,
    count: int,
    chance: random.Random,
    leave: Collection[str],
) -> EditTimes:
    """Edits pages one after the other and waits until an answer cites each.

    Args:
        leave: pages not to edit, as far as there are others.
    """
    shuffled = chance.sample(origin.paths, len(origin.paths))
    candidates = sorted(shuffled, key=lambda path: path in leave)
    seconds: list[float] = []
    unseen = 0
    while candidates and len(seconds) < count:
        path, fact = candidates.pop(0), _fact(chance)
        if not _put(origin, path, fact):
            continue
        seconds.append(_until_cited(client, scope_id, origin.url + path, fact))
        unseen += seconds[-1] >= SEEN_SECONDS_MAX
    return EditTimes(seconds, unseen)


def time_checked_answers(
    client: Client, scope_id: str, origin: Origin, *, count: int, chance: random.Random
) -> EditTimes:
    """Edits pages that a question leads to, and asks at once with the cited pages checked.

    The question is about a fact that the page holds and that the edit changes: the answer cites
    the page before, and is stale unless the check finds the edit.
    """
    seconds: list[float] = []
    unseen = 0
    paths = chance.sample(origin.paths, min(count, len(origin.paths)))
    for path in paths:
        name = _fact(chance).name
        before, after = Fact(name, 1234), Fact(name, chance.randint(2000, 9999))
        if not _put(origin, path, before):
            continue
        _until_cited(client, scope_id, origin.url + path, before)
        body = origin.body(path).replace(before.sentence.encode(), after.sentence.encode())
        origin.edit(path, body)
        started = time.perf_counter()
        while (waited := time.perf_counter() - started) < SEEN_SECONDS_MAX:
            if _is_cited(client, scope_id, after, checked=True):
                waited = time.perf_counter() - started
                break
        seconds.append(waited)
        unseen += waited >= SEEN_SECONDS_MAX
    return EditTimes(seconds, unseen)


def _put(origin: Origin, path: str, fact: Fact) -> bool:
    body = with_sentence(origin.body(path), fact.sentence)
    if body is None:
        return False
    origin.edit(path, body)
    return True


def _until_cited(client: Client, scope_id: str, url: str, fact: Fact) -> float:
    started = time.perf_counter()
    client.start_crawl(scope_id, urls=[url])
    while (waited := time.perf_counter() - started) < SEEN_SECONDS_MAX:
        if _is_cited(client, scope_id, fact):
            return time.perf_counter() - started
        time.sleep(POLL_SECONDS)
    return waited


def _is_cited(client: Client, scope_id: str, fact: Fact, *, checked: bool = False) -> bool:
    """Says whether an answer cites a fact; one that does not come in time cites nothing."""
    try:
        return fact.is_cited(client.answer(scope_id, fact.question, checked=checked))
    except TimeoutError:
        return False


def _fact(chance: random.Random) -> Fact:
    name = "".join(chance.choice(SYLLABLES) for _ in range(3)).capitalize()
    return Fact(name, chance.randint(1000, 9999))
