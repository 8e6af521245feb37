"""What the client has: the methods of the API, the same in both clients, light to import."""

import inspect
import subprocess
import sys

import pytest

from scops import client
from scops.client import AsyncScops, Scops
from scops.client.calls import Call, Listing
from scops.client.surface import ListMethod, Method, Methods, StreamMethod
from scops.gateway.api.methods import METHODS

# For who runs an installation: by `scops`, or by the stubs of the API.
OPERATORS = {
    "RechunkPages",
    "ListTemplates",
    "ListVolatileBlocks",
    "SetVolatileBlock",
    "ClaimInstallation",
    "PutCredential",
    "ListCredentials",
    "DeleteCredential",
    "TestCredential",
    "CreateKey",
    "ListKeys",
    "RevokeKey",
    "SetInstallationRole",
    "SetGroupMember",
    "ListMembers",
    "PurgePages",
    "ExportPages",
    "ImportPages",
    "GetPurge",
    "ListPurges",
    "ListAuditEntries",
    "VerifyAudit",
    "GetHealth",
    "ListQueues",
    "ListDeadLetters",
    "ReplayDeadLetter",
    "DropDeadLetter",
}
NAMED = {
    "whoami": "WhoAmI",
    "crawl": "CreateJob",
    "wait_job": "WatchJob",
    "research": "CreateResearch",
    "wait_research": "WatchResearch",
    "promote_research": "AddPages",
    "answer_stream": "StreamAnswer",
    "page_changes": "ListPageChanges",
    "page_history": "ListPageVersions",
    "diff_page": "DiffPageVersions",
    "pin_version": "PinPageVersion",
    "capture_page": "PutPageCapture",
    "signal_pages": "SignalPages",
    "scope_use": "GetScopeUse",
}
KINDS = Method | ListMethod | StreamMethod
METHOD_NAMES = [name for name, one in vars(Methods).items() if isinstance(one, KINDS)]
# Each takes longer to import than all of the client.
NOT_AT_FIRST = ("grpc", "google.protobuf", "httpx", "pydantic", "scops.common", "scops.gateway")
IMPORTED = "import sys; from scops.client import *; print('\\n'.join(sys.modules))"
CPU_SECONDS_MAX = 0.3
TIMED = "import time; a = time.process_time(); {}; print(time.process_time() - a)"


def camel(name: str) -> str:
    """Returns the name that a method has in the protos."""
    return NAMED.get(name, "".join(part.title() for part in name.split("_")))


def test_every_method_of_the_api_is_there_or_an_operators() -> None:
    """A new one is put on either side on purpose."""
    described = {method.name for methods in METHODS.values() for method in methods}

    assert described - OPERATORS == {camel(name) for name in METHOD_NAMES}
    assert OPERATORS <= described


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_both_clients_have_a_method_alike(name: str) -> None:
    """Its parameters and what it says of itself are of the one description."""
    ours, others = getattr(Scops("127.0.0.1:1"), name), getattr(AsyncScops("127.0.0.1:1"), name)

    assert inspect.signature(ours) == inspect.signature(others)
    assert ours.__doc__
    assert ours.__doc__ == others.__doc__ == getattr(Scops, name).__doc__


def test_lists_begin_at_the_first_page() -> None:
    """Their description is made without asking anybody."""
    listing = Scops.list_pages("tarn", page_size=7)

    assert (
        Listing(
            Call(
                "PageService",
                "ListPages",
                {"scope": "scopes/tarn", "prefix": "", "page_size": 7},
            ),
            "pages",
            client.Page,
        )
        == listing
    )


def test_what_is_imported_at_first_is_little() -> None:
    """gRPC and the rest wait for the first call; a notebook starts at once."""
    found = subprocess.run(
        [sys.executable, "-c", IMPORTED], capture_output=True, text=True, check=True
    ).stdout.split()

    assert "scops.client.scops" in found
    assert [] == [name for name in NOT_AT_FIRST if name in found]


def test_the_client_is_imported_in_a_blink() -> None:
    """Of CPU time, the least of three: another process may be using the machine."""
    script = TIMED.format("from scops.client import Scops, AsyncScops, Answer")
    command = [sys.executable, "-c", script]
    taken = [subprocess.run(command, capture_output=True, check=True).stdout for _ in range(3)]

    assert min(map(float, taken)) < CPU_SECONDS_MAX


def test_every_name_of_the_public_face_is_there() -> None:
    """Also for who looks it up."""
    assert [] == [name for name in client.__all__ if getattr(client, name).__name__ != name]
    assert set(client.__all__) <= set(dir(client))


def test_what_is_not_there_is_an_attribute_error() -> None:
    """As in any module."""
    with pytest.raises(AttributeError, match="no attribute 'Owl'"):
        _ = client.Owl
