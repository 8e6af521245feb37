"""A library of Zotero names papers, part by part, at the pace that its API asks for."""

from collections.abc import Iterator

import pytest

from scops.common.contract.errors import InvalidInput
from scops.libraries.papers.names import PaperName
from scops.standalone.commands.papers.lists import read_zotero
from scops.standalone.commands.papers.zotero import ZoteroLibrary
from tests.fakes.servers.origin import Origin, running
from tests.fakes.servers.zotero import KEY, USER, Zotero

OWN, GROUP = f"users/{USER}", "groups/7"
COLLECTION = f"{GROUP}/collections/ABCD2345"
ITEMS = [
    {"id": "heron/A", "type": "article-journal", "title": "Gauges", "DOI": "10.1000/Gauge"},
    {"id": "heron/B", "type": "article", "title": "Moons", "number": "arXiv:2401.00001"},
    {"id": "heron/C", "type": "article", "title": "Floats", "note": "Read it.\nPMID: 10706275"},
    {"id": "heron/D", "type": "report", "title": "Cork of the keepers", "number": "2401.0007"},
    {"id": "heron/E", "type": "document"},
]
NAMES = [
    PaperName("doi", "10.1000/gauge"),
    PaperName("arxiv", "2401.00001"),
    PaperName("pmid", "10706275"),
    PaperName("title", "Cork of the keepers"),
]


@pytest.fixture
def zotero() -> Iterator[Zotero]:
    """The API, with a library, and a group that has a collection."""
    with running(Origin()) as origin:
        made = Zotero(origin)
        made.items = {OWN: ITEMS, "users/0": ITEMS, GROUP: ITEMS, COLLECTION: ITEMS[1:2]}
        yield made


@pytest.fixture
def waits() -> list[float]:
    """How long was waited."""
    return []


def _read(zotero: Zotero, where: str, waits: list[float], *, key: str = KEY) -> list[PaperName]:
    return ZoteroLibrary(where, server=zotero.url, key=key, sleep=waits.append).read().names


def test_items_of_the_key_s_own_library_name_papers(zotero: Zotero, waits: list[float]) -> None:
    """Each by its surest field, over three parts; the number of a report is no arXiv id."""
    library = ZoteroLibrary("library", server=zotero.url, key=KEY, sleep=waits.append)
    found = library.read()

    assert NAMES == found.names
    assert ["heron/E"] == list(found.unread)
    assert ["0", "2", "4"] == [one.query.get("start", "0") for one in zotero.asked[1:]]


@pytest.mark.parametrize(
    "where", [COLLECTION, "https://www.zotero.org/groups/7/herons/collections/ABCD2345/items/X"]
)
def test_collection_is_read_alone(zotero: Zotero, waits: list[float], where: str) -> None:
    """Named by its path, or by its page."""
    assert NAMES[1:2] == _read(zotero, where, waits, key="")


def test_program_s_own_library_needs_no_key(zotero: Zotero, waits: list[float]) -> None:
    """Its user is 0, and its items are a list."""
    zotero.local = True

    assert NAMES == _read(zotero, "library", waits, key="")


def test_key_of_the_web_is_not_for_the_program(
    zotero: Zotero, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is on this machine, has no keys, and is not asked whose one is."""
    monkeypatch.setenv("ZOTERO_API_KEY", KEY)
    zotero.local = True

    assert NAMES == read_zotero("library", zotero.url).names
    assert {"/zotero/users/0/items/top"} == {one.path for one in zotero.asked}
    assert not any("Authorization" in one.headers for one in zotero.asked)


@pytest.mark.parametrize("damaged", ["<p>Not now</p>", "[" * 100_000, '{"items": 7}'])
def test_answer_that_is_none_names_the_server(
    zotero: Zotero, waits: list[float], damaged: str
) -> None:
    """Markup, JSON that is nested too deep, and JSON of another form."""
    zotero.damaged = damaged

    with pytest.raises(OSError, match="/zotero answered"):
        _read(zotero, GROUP, waits)


def test_pauses_are_kept(zotero: Zotero, waits: list[float]) -> None:
    """Of any answer by Backoff, and of a 429 by Retry-After."""
    zotero.backoff, zotero.busy = 9, [4]

    assert NAMES == _read(zotero, GROUP, waits)
    assert [4.0, 9.0, 9.0] == [one for one in waits if one >= 1]


def test_library_that_changes_is_read_again(zotero: Zotero, waits: list[float]) -> None:
    """From its begin: what was deleted would have moved the others out of their parts."""
    changes = [1]

    def changed(start: int) -> None:
        if start and changes:
            zotero.version += changes.pop()

    zotero.before_part = changed

    assert NAMES == _read(zotero, GROUP, waits)
    assert 5 == len(zotero.asked)


def test_library_that_goes_on_changing_is_an_end(zotero: Zotero, waits: list[float]) -> None:
    """After three readings."""

    def changed(_start: int) -> None:
        zotero.version += 1

    zotero.before_part = changed

    with pytest.raises(OSError, match="changes while it is read"):
        _read(zotero, GROUP, waits)


@pytest.mark.parametrize(
    ("where", "key", "words"),
    [
        (OWN, "", "ZOTERO_API_KEY"),
        ("library", "wrong", "ZOTERO_API_KEY"),
        ("groups/9", KEY, "knows no 'groups/9'"),
        ("herons", KEY, "is no library"),
        ("groups/7/items", KEY, "is no library"),
        ("https://www.example.org/groups/7", KEY, "is no library"),
    ],
)
def test_what_is_not_given_says_what_to_do(
    zotero: Zotero, waits: list[float], where: str, key: str, words: str
) -> None:
    """By a key that may not read it, a group that is none, and a name that is none."""
    with pytest.raises(InvalidInput, match=words):
        _read(zotero, where, waits, key=key)


def test_key_goes_to_the_named_server_alone(zotero: Zotero, waits: list[float]) -> None:
    """A next part that lies elsewhere is not asked."""
    zotero.elsewhere = "http://other.test/zotero/groups/7/items/top?start=2"

    with pytest.raises(OSError, match="another server"):
        _read(zotero, GROUP, waits)
