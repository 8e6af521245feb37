"""Log lines are events with data as keys; ids are bound once, and texts never leak."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Literal

import pytest
import structlog

from scops.common.config.settings import CommonSettings
from scops.common.observe.log import bound_ids, configure_logging, get_logger


@pytest.fixture(autouse=True)
def _reset_logging() -> Iterator[None]:
    """Leaves the log of other tests as it was."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    structlog.reset_defaults()
    root.handlers[:] = handlers
    root.setLevel(level)


def _configured(settings: CommonSettings) -> io.StringIO:
    stream = io.StringIO()
    configure_logging(settings, stream)
    return stream


def test_a_line_is_json_with_the_bound_ids() -> None:
    """Ids bound around a message are on every line inside, and on none after."""
    stream = _configured(CommonSettings(log_format="json"))
    log = get_logger("test")
    with bound_ids(page_id="page-1", fetch_id=""):
        log.info("page_fetched", size_bytes=3)
    log.info("page_fetched")

    inside, after = (json.loads(line) for line in stream.getvalue().splitlines())

    assert inside["event"] == "page_fetched"
    assert (inside["page_id"], inside["size_bytes"], inside["level"]) == ("page-1", 3, "info")
    assert "fetch_id" not in inside
    assert "page_id" not in after


def test_below_the_level_nothing_is_written() -> None:
    """The level is a setting."""
    stream = _configured(CommonSettings(log_format="json", log_level="warning"))

    get_logger("test").info("page_fetched")

    assert stream.getvalue() == ""


def test_libraries_share_the_form_and_speak_only_of_trouble() -> None:
    """Records of the standard library are the same JSON lines."""
    stream = _configured(CommonSettings(log_format="json"))

    logging.getLogger("nats.aio").info("connected")
    logging.getLogger("nats.aio").error("lost %s", "it")

    (line,) = (json.loads(text) for text in stream.getvalue().splitlines())
    assert (line["event"], line["component"], line["level"]) == ("lost it", "nats.aio", "error")


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_traceback_shows_no_local_variables(form: Literal["json", "console"]) -> None:
    """Local variables hold page texts and secrets."""
    stream = _configured(CommonSettings(log_format=form))
    body = "the secret " + "text of a page"
    try:
        _ = len(body) // 0
    except ZeroDivisionError:
        get_logger("test").exception("handler_failed")

    assert "ZeroDivisionError" in stream.getvalue()
    assert "secret text" not in stream.getvalue()
