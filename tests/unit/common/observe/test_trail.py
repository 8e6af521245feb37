"""A trail says where work comes from; it survives headers and columns, and never breaks either."""

import io
import json

import pytest

from scops.common.config.settings import CommonSettings
from scops.common.observe import trail
from scops.common.observe.log import configure_logging, get_logger
from scops.common.observe.trail import NOWHERE, Trail, current, following

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
WHOLE = Trail(trace_parent=PARENT, request_id="request-1", job_id="job-1")


@pytest.mark.parametrize(
    "known",
    [WHOLE, NOWHERE, Trail(trace_parent=PARENT), Trail(request_id="r"), Trail(job_id="j")],
    ids=["whole", "nothing", "trace", "request", "job"],
)
def test_a_trail_survives_headers_and_a_column(known: Trail) -> None:
    """What is unknown stays unknown; nothing shifts into its place."""
    assert known == trail.trail_of(trail.headers_of(known))
    assert known == trail.from_text(trail.to_text(known))


@pytest.mark.parametrize(
    "parent",
    ["", "00-abc", PARENT + "\r\nX: 1", PARENT.upper(), f"{PARENT} x", "0" * 55, "é" * 55],
)
def test_a_malformed_trace_is_none(parent: str) -> None:
    """W3C Trace Context, section 3.2: a header that does not parse starts a new trace."""
    assert NOWHERE == trail.trail_of({trail.TRACE_PARENT: parent})


@pytest.mark.parametrize("request_id", ["two words", "x" * 129, "line\nbreak", "<b>", "é"])
def test_a_malformed_request_id_is_none(request_id: str) -> None:
    """What callers send stands in every log line; its form is bounded."""
    assert NOWHERE == trail.trail_of({trail.REQUEST_ID: request_id})


def test_a_text_that_is_no_trail_is_none() -> None:
    """A column of another version must not stop the relay."""
    assert NOWHERE == trail.from_text('{"traceparent": "x"} with more words than there are parts')


def test_following_ends_with_its_block_and_is_on_every_line() -> None:
    """Inside, the trail is current and its ids are in the log; after, neither."""
    stream = io.StringIO()
    configure_logging(CommonSettings(log_format="json"), stream)
    log = get_logger("test")
    with following(WHOLE):
        inside = current()
        log.info("page_fetched")
    log.info("page_fetched")
    first, second = (json.loads(line) for line in stream.getvalue().splitlines())

    assert WHOLE == inside
    assert ("request-1", "job-1") == (first["request_id"], first["job_id"])
    assert "0af7651916cd43dd8448eb211c80319c" == first["trace_id"]
    assert NOWHERE == current()
    assert {"request_id", "job_id"}.isdisjoint(second)
