"""The rows of the API against its protos."""

import pytest
from google.protobuf.descriptor import ServiceDescriptor

from scops.gateway.api.methods import METHODS, bound_methods

WRITING = (
    "Test",
    "Add",
    "Cancel",
    "Claim",
    "Create",
    "Delete",
    "Drop",
    "Fork",
    "Import",
    "Pin",
    "PurgePages",
    "Put",
    "Rechunk",
    "Rename",
    "Replay",
    "Revert",
    "Revoke",
    "Set",
    "Share",
    "Signal",
    "Transfer",
    "Update",
)


@pytest.mark.parametrize("service", METHODS, ids=lambda service: str(service.name))
def test_every_method_of_a_service_has_one_row(service: ServiceDescriptor) -> None:
    """What a proto promises is served, with the messages that it names."""
    rows = bound_methods(service)

    assert sorted(method.name for method in service.methods) == sorted(
        row.method.name for row in rows
    )
    assert [f"{row.method.name}Request" for row in rows] == [
        row.request.DESCRIPTOR.name for row in rows
    ]


def test_only_methods_that_write_are_not_read_only() -> None:
    """A door may let what reads be cached and repeated."""
    rows = [method for methods in METHODS.values() for method in methods]

    assert [name.startswith(WRITING) for name in (row.name for row in rows)] == [
        not row.read_only for row in rows
    ]
