"""Where a text was read once is asked first, also where services name the place that led there."""

from scops.libraries.papers.record import PaperLocation
from scops.libraries.papers.record_page import text_line
from scops.standalone.commands.papers.scoped.moved import stated_first

HERE = PaperLocation(url="https://a.test/1.pdf", kind="pdf", said_by="openalex")
OTHER = PaperLocation(url="https://b.test/1.pdf", kind="pdf", status="gold", said_by="unpaywall")
MOVED = PaperLocation(url="https://c.test/1.pdf", kind="pdf", status="gold", said_by="unpaywall")


def test_stated_place_is_first() -> None:
    """Of those that services name."""
    assert [OTHER, HERE] == stated_first([HERE, OTHER], text_line(OTHER))


def test_place_that_led_there_lends_what_is_said_of_it() -> None:
    """Its licence, status and service are those of the place that moved."""
    assert [MOVED, HERE, OTHER] == stated_first([HERE, OTHER], text_line(MOVED))


def test_place_of_which_nothing_is_known_any_more_is_left_out() -> None:
    """Whatever a record says."""
    assert [HERE] == stated_first([HERE], text_line(MOVED))
