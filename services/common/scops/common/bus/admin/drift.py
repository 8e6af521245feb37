"""How a stream or durable on the server differs from what the contract asks for."""

from collections.abc import Sequence
from typing import Any

from nats.js import api

from scops.common.contract.organisations import MAIN

STREAM_FIELDS = (
    "subjects",
    "retention",
    "storage",
    "discard",
    "max_bytes",
    "max_age",
    "max_msg_size",
    "duplicate_window",
    "num_replicas",
)
DURABLE_FIELDS = (
    "filter_subject",
    "deliver_policy",
    "ack_policy",
    "ack_wait",
    "max_deliver",
    "max_ack_pending",
)
# What must not differ for messages to be safe; sizes and times are the operator's.
VITAL_STREAM_FIELDS = ("retention", "storage", "discard")
VITAL_DURABLE_FIELDS = ("filter_subject", "deliver_policy", "ack_policy", "max_deliver")
# Says in a stream's metadata whose it is; none is of `main`.
OWNER = "organisation"
# What the server keeps when a configuration leaves a field out.
UNSET = (None, 0, 0.0, -1)

Differences = dict[str, tuple[Any, Any]]


def differences(wanted: Any, found: Any, names: Sequence[str]) -> Differences:
    """Returns the fields that differ, each with what is wanted and what was found."""
    pairs = {name: (getattr(wanted, name), getattr(found, name)) for name in names}
    if isinstance(wanted, api.StreamConfig):
        pairs[OWNER] = (_owner(wanted), _owner(found))
    return {name: pair for name, pair in pairs.items() if not _equal(*pair)}


def vital_differences(wanted: Any, found: Any) -> Differences:
    """Returns what differs in a stream or durable so that messages are not safe with it."""
    if isinstance(wanted, api.ConsumerConfig):
        return differences(wanted, found, VITAL_DURABLE_FIELDS)
    missing = set(wanted.subjects or []) - set(found.subjects or [])
    found_differences = differences(wanted, found, VITAL_STREAM_FIELDS)
    if missing:
        found_differences["subjects"] = (wanted.subjects, found.subjects)
    return found_differences


def _owner(stream: api.StreamConfig) -> str:
    """Returns the organisation that a stream was made for."""
    return (stream.metadata or {}).get(OWNER, MAIN)


def described(different: Differences) -> str:
    """Returns differences as words."""
    return "; ".join(
        f"{field} is {found!r}, wanted {wanted!r}"
        for field, (wanted, found) in sorted(different.items())
    )


def _equal(wanted: Any, found: Any) -> bool:
    if isinstance(wanted, list):
        return sorted(wanted) == sorted(found or [])
    if wanted in UNSET:
        return found in UNSET or wanted == found
    return bool(wanted == found)
