"""The forms that a report comes in, by what their files end with."""

from collections.abc import Callable
from typing import Any

from scops.gateway.adapters.research.markdown import as_markdown
from scops.gateway.adapters.research.page import as_page
from scops.gateway.adapters.research.report import report_of
from scops.gateway.adapters.research.values import ResearchReport


def _as_json(report: ResearchReport) -> str:
    return report.model_dump_json(by_alias=True)


_WRITERS: dict[str, Callable[[ResearchReport], str]] = {
    "json": _as_json,
    "md": as_markdown,
    "html": as_page,
}
FORMS = tuple(_WRITERS)


def written(found: Any, form: str) -> str:
    """Returns the report of a run.

    Args:
        found: as `report_of` takes it.
        form: one of `FORMS`.
    """
    return _WRITERS[form](report_of(found))
