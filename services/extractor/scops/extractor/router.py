"""Which messages the extractor consumes, and by which handler."""

from collections.abc import Mapping
from typing import Any

from scops.common.contract.messages.crawl import PageFetched
from scops.common.runtime.service import Handle
from scops.extractor.handlers import handle_page_fetched

HANDLERS: Mapping[type[Any], Handle] = {PageFetched: handle_page_fetched}
