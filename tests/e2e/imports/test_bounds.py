"""What is not to come in does not, is told, and keeps nothing else out, by whichever way."""

import pytest

from scops.client import NotFound, Scops
from tests.e2e.imports.api_ways import Asking
from tests.e2e.imports.conftest import ASKING, OWN, OpenSource
from tests.e2e.imports.own_ways import Lines
from tests.e2e.imports.ways import MAY, Source, told_of
from tests.e2e.system import System
from tests.fakes.servers.origin import Origin

BARRED = [way for way in (*OWN, *ASKING) if way.barred]
SECONDS = 1.0


def ids(ways: list[type[Source]]) -> list[object]:
    return [pytest.param(way, id=way.way) for way in ways]


def is_there(system: System, page: str) -> bool:
    """Returns whether the index has a version of a page."""
    with Scops(system.address) as scops:
        try:
            return bool(scops.page_history(page).versions)
        except NotFound:
            return False


@pytest.mark.parametrize("way", ids([*OWN, *ASKING]))
def test_what_cannot_come_in_is_told_and_the_rest_comes(
    way: type[Source], open_source: OpenSource, system: System, ear: Origin, inside: str
) -> None:
    """A page out of the scope, at an address within; one that is too long; a damaged record."""
    source = open_source(way, "bounded")
    source.put("Heron", 11, MAY)
    source.put_long("Whale")
    source.put_damaged()
    if way is not Lines:
        # The URL of a line names it in its file, and nothing else.
        source.put_outside(inside)
    if way.barred:
        source.put_barred("Bat")
    done = source.bring()
    said = done.out + done.err
    wanted = [way.long, way.damaged, way.barred, way.outside if way is not Lines else ""]

    assert is_there(system, source.named("Heron")), said
    assert not is_there(system, inside)
    assert not way.barred or not is_there(system, source.url("Bat"))
    assert not is_there(system, source.url("Whale"))
    assert [] == [words for words in wanted if words not in said], said
    assert 0 == ear.count()
    assert "Traceback" not in said


@pytest.mark.parametrize("way", ids([*ASKING]))
def test_a_busy_server_is_asked_when_it_says(
    way: type[Source], open_source: OpenSource, system: System
) -> None:
    """Once (RFC 9110, Retry-After)."""
    source = open_source(way, "busy")
    source.put("Heron", 11, MAY)
    source.origin.answer_first(status=429, Retry_After="1")
    done = source.bring()
    first, second = sorted(one.started for one in source.origin.requests)[:2]

    assert 0 == done.code, done.err
    assert is_there(system, source.named("Heron"))
    assert 1 == source.origin.count(429)
    assert second - first >= SECONDS


@pytest.mark.parametrize("way", ids([*ASKING]))
def test_a_server_that_is_busy_for_long_is_left_alone(
    way: type[Source], open_source: OpenSource
) -> None:
    """The command says for how long, and can be run again."""
    source = open_source(way, "spent")
    source.put("Heron", 11, MAY)
    source.origin.answer_first(status=429, Retry_After="900")
    done = source.bring()
    again = source.bring()

    assert 6 == done.code, done.out + done.err
    assert "900 s" in done.out + done.err
    assert 0 == again.code, again.err
    assert 1 == told_of(again)["indexed"]


@pytest.mark.parametrize("way", ids([*ASKING]))
def test_no_redirect_leads_within(
    way: type[Source], open_source: OpenSource, ear: Origin, inside: str
) -> None:
    """What was named may lie in one's own network; where it leads may not."""
    source = open_source(way, "led")
    source.put("Heron", 11, MAY)
    source.origin.answer_first(status=302, Location=inside)
    done = source.bring()

    assert 0 != done.code
    assert "127.0.0.2 is not public" in done.out + done.err
    assert 0 == ear.count()
    assert 1 == len(source.origin.requests)


@pytest.mark.parametrize("way", ids([way for way in ASKING if issubclass(way, Asking)]))
def test_an_answer_has_so_many_bytes(way: type[Asking], open_source: OpenSource) -> None:
    """Packed ones, too, are not unpacked for longer."""
    source = open_source(way, "flooded")
    source.put("Heron", 11, MAY)
    source.origin.answer_first(b"x" * 20_000_001)
    done = source.bring()

    assert 0 != done.code
    assert way.unbounded in done.out + done.err
