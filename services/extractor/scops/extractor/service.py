"""Puts the extractor together."""

from scops.common.contract.service_table import Role
from scops.common.runtime.platform import Platform
from scops.common.runtime.service import Service
from scops.extractor.adapters.child_parser import PARSE, ChildParser
from scops.extractor.ocr import installed_ocr
from scops.extractor.ports import ExtractorPorts
from scops.extractor.router import build_router
from scops.extractor.settings import ExtractorSettings

# One page is stored or published while the next one is parsed.
PAGES_PER_CHILD = 2


def build(settings: ExtractorSettings, platform: Platform) -> Service:
    """Returns the service; parsing processes start with the first page."""
    parser = ChildParser(
        platform.children,
        page_seconds=settings.page_seconds,
        ocr=installed_ocr(settings.ocr_languages, seconds=settings.ocr_seconds),
    )
    return Service(
        role=Role.EXTRACTOR,
        child_tasks=(PARSE,),
        router=build_router(
            ExtractorPorts(archive=platform.archive, parser=parser),
            concurrency=PAGES_PER_CHILD * platform.children.processes,
        ),
        checks=platform.archive_writable,
    )
