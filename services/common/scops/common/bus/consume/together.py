"""Handles what came in one frame at once, as far as that goes.

An item that cannot be decoded, whose page is another's in the frame already, or that the handler
leaves out, is handled alone; so are all of them where the handler of many fails. What it did until
then is done again, which handlers bear, as they bear any redelivery: none gives up a message for
what is wrong with another.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from scops.common.bus.consume.received import Received, decode
from scops.common.bus.ports import Caused, ManyHandler
from scops.common.contract.errors import InvalidInput, PermanentError, ScopsError
from scops.common.contract.service_table import entity_of
from scops.common.observe.log import get_logger
from scops.common.observe.trail import NOWHERE, Trail, following, trail_of

log = get_logger(__name__)


async def handle_together(
    items: Sequence[Received], many: ManyHandler
) -> Sequence[Sequence[Any] | None]:
    """Returns what the handler of many made of each item; nothing of those to be handled alone."""
    chosen = await _first_of_each_page(items)
    outputs: dict[int, Sequence[Any]] = {}
    if len(chosen) > 1:
        try:
            with following(_shared_trail([items[place] for place in chosen])):
                made = await many(list(chosen.values()))
        except ScopsError as error:
            log.warning("not_handled_together", reason=error.reason, error=str(error))
        except Exception as error:
            # Whose bug it is shows where each is handled alone.
            log.exception("not_handled_together", error=repr(error))
        else:
            found = zip(chosen, made, strict=True)
            outputs = {place: one for place, one in found if one is not None}
    return [outputs.get(place) for place in range(len(items))]


async def _first_of_each_page(items: Sequence[Received]) -> dict[int, Caused]:
    """Returns what can be handled at once, by its place: what comes later to a page comes later."""
    chosen: dict[int, Caused] = {}
    about: set[str] = set()
    for place, item in enumerate(items):
        with suppress(InvalidInput, PermanentError):
            message = await decode(item)
            entity = entity_of(message)
            if entity not in about:
                about.add(entity)
                chosen[place] = (message, item.cause)
    return chosen


def _shared_trail(items: Sequence[Received]) -> Trail:
    """Returns the trail of the first item where all are of its job; else none."""
    trails = [trail_of(item.headers) for item in items]
    first = trails[0]
    return first if {trail.job_id for trail in trails} == {first.job_id} else NOWHERE
