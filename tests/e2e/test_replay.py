"""Snapshots of a living page, replayed: one version per stay of a text, and a return is free.

The rows have the shape of a recorded history (`fetched`, `html`); what differs between them is
what differs between recorded ones: nonces and banners, an amended clause, a wall, a return.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from scops.api.v1alpha1.page_service_pb2 import PageVersion
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin, running

SCOPE = "replay"
PATH, MIRROR = "/terms/privacy", "/partner/privacy"
CLAUSES = (
    ("What we collect", "We collect the name, the address and the bank account of each customer."),
    ("How long we keep it", "Records of payments are kept for ten years, letters for two years."),
    ("Whom we tell", "We tell the carrier your address, and nobody else unless a court orders it."),
    ("Your rights", "You may ask for a copy of your data once a year without paying a fee."),
)
AMENDED = (*CLAUSES[:1], (CLAUSES[1][0], CLAUSES[1][1].replace("ten", "twelve")), *CLAUSES[2:])
LONGER = (
    *AMENDED[2:],
    *AMENDED[:2],
    ("Changes", "We announce each change of this policy by letter, four weeks before it applies."),
)
WALL = (
    "<!doctype html><title>Sign in</title><h1>Sign in</h1>"
    '<form action="/login"><input name="user"><input type="password"></form>'
)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A recorded answer, and what it is: a stay of a text begins, or goes on."""

    fetched: str
    html: str
    begins: bool
    returns: bool = False
    blocked: str = ""


def page(clauses: tuple[tuple[str, str], ...], nonce: int) -> str:
    """Returns a page with clauses of many sentences, so that it has several chunks."""
    body = "".join(
        f"<h2>{title}</h2>"
        + "".join(f"<p>{text} This is rule {n} about {title.lower()}.</p>" for n in range(9))
        for title, text in clauses
    )
    return (
        f'<!doctype html><html lang="en"><head><title>Privacy policy</title>'
        f'<script nonce="n{nonce}">track({nonce * 7919});</script></head><body>'
        f'<nav><a href="/?visit={nonce}">Home</a> <a href="/shop">Shop</a></nav>'
        f"<main><h1>Privacy policy</h1>{body}</main>"
        f"<footer>© {2020 + nonce} The shop</footer></body></html>"
    )


SNAPSHOTS = (
    Snapshot("2024-01-03T04:10:00Z", page(CLAUSES, 1), begins=True),
    Snapshot("2024-01-03T16:10:00Z", page(CLAUSES, 2), begins=False),
    Snapshot("2024-02-11T04:10:00Z", page(AMENDED, 3), begins=True),
    Snapshot("2024-02-11T16:10:00Z", page(CLAUSES, 4), begins=True, returns=True),
    Snapshot("2024-02-12T04:10:00Z", WALL, begins=False, blocked="login_wall"),
    Snapshot("2024-02-12T16:10:00Z", page(CLAUSES, 5), begins=False),
    Snapshot("2024-03-01T04:10:00Z", page(LONGER, 6), begins=True),
    Snapshot("2024-03-09T04:10:00Z", page(AMENDED, 7), begins=True, returns=True),
)


@dataclass(frozen=True, slots=True)
class Replay:
    """What each snapshot led to, and the page's versions, oldest first."""

    origin: Origin
    embedded: list[int]
    outcomes: list[tuple[str, str]]
    versions: list[PageVersion]


@pytest.fixture(scope="module")
def replay(shared: System) -> Iterator[Replay]:
    """Serves one snapshot after the other, and crawls after each."""
    embedded: list[int] = []
    outcomes: list[tuple[str, str]] = []
    with running(Origin(validators=False)) as origin:
        url = origin.url + PATH
        origin.replace(MIRROR, SNAPSHOTS[-1].html)
        origin.replace(PATH, SNAPSHOTS[0].html)
        shared.create_scope(SCOPE, seeds=[url])
        for snapshot in SNAPSHOTS:
            origin.replace(PATH, snapshot.html)
            before = shared.metric("scops_indexer_embedded_total")
            job = shared.crawl(SCOPE, urls=[url])
            embedded.append(int(shared.metric("scops_indexer_embedded_total") - before))
            outcomes.append(shared.outcomes(job)[url])
        shared.crawl(SCOPE, urls=[origin.url + MIRROR])
        yield Replay(origin, embedded, outcomes, list(reversed(shared.history(url).versions)))


def test_there_is_one_version_per_stay_of_a_text(replay: Replay) -> None:
    """In the order of the snapshots; other bytes around the same text make none."""
    begun = [one for one in SNAPSHOTS if one.begins]

    assert len(begun) == len(replay.versions)
    assert [one.returns for one in begun] == [bool(one.restored_version) for one in replay.versions]
    assert 3 == len({one.text_digest for one in replay.versions})


def test_only_what_is_new_is_embedded(replay: Replay) -> None:
    """A noise, a wall and a return embed nothing; an amended clause less than the page."""
    for snapshot, embedded in zip(SNAPSHOTS, replay.embedded, strict=True):
        assert (embedded > 0) == (snapshot.begins and not snapshot.returns), snapshot.fetched
    assert replay.embedded[2] < replay.embedded[0]


def test_a_wall_is_told_and_leaves_the_good_version(replay: Replay) -> None:
    """The job says why the page was not read; its text goes on being current."""
    told = [reason for outcome, reason in replay.outcomes if outcome == "blocked"]

    assert [one.blocked for one in SNAPSHOTS if one.blocked] == told


def test_a_page_that_says_the_same_is_named_as_its_mirror(shared: System, replay: Replay) -> None:
    """One passage for both pages, with the address of the other."""
    found = shared.search("how long are records of payments kept", SCOPE).passages
    (best, *others) = found

    urls = {replay.origin.url + PATH, replay.origin.url + MIRROR}
    assert urls == {best.uri, *(mirror.uri for mirror in best.mirrors)}
    assert best.text not in [other.text for other in others]
