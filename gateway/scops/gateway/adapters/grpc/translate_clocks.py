"""The four clocks of a version as the API's message."""

from datetime import datetime

from scops.api.v1alpha1 import search_service_pb2 as pb
from scops.common.contract.messages.types import Clocks, StatedKind
from scops.gateway.adapters.grpc.translate_times import timestamp


def clocks_message(clocks: Clocks) -> pb.Clocks:
    """Returns the message of the four clocks, with the surest stated time of each kind."""
    return pb.Clocks(
        observed_time=timestamp(clocks.observed_time),
        verified_time=timestamp(clocks.verified_time),
        visible_time=timestamp(clocks.visible_time),
        stated_published_time=timestamp(_stated(clocks, StatedKind.PUBLISHED)),
        stated_modified_time=timestamp(_stated(clocks, StatedKind.MODIFIED)),
    )


def _stated(clocks: Clocks, kind: StatedKind) -> datetime | None:
    of_kind = [stated for stated in clocks.stated if stated.kind is kind]
    if not of_kind:
        return None
    return max(of_kind, key=lambda stated: stated.confidence).time
