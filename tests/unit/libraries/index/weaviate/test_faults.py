"""Whose fault it is that Weaviate did not take an object."""

import pytest

from scops.common.contract.errors import PermanentError, StoreUnavailable
from scops.common.contract.store_faults import StoreFault
from scops.libraries.index.weaviate.faults import advice, raise_refused

PANIC = "panic occurred: runtime error: invalid memory address or nil pointer dereference"
READ_ONLY = "put object: store is read-only due to: disk usage too high. Set to read-only at 91%"
OURS = "invalid text property 'header' on class 'Scops_main': not a string, but float64"


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (PANIC, StoreFault.REFUSED),
        (READ_ONLY, StoreFault.READ_ONLY),
        ("write memtable: no space left on device", StoreFault.FULL),
        ("cannot process batch: not enough memory", StoreFault.FULL),
        ("invalid state: shard is not loaded", StoreFault.REFUSED),
        ("something that nobody has seen yet", StoreFault.REFUSED),
    ],
)
def test_what_is_not_known_as_ours_passes(said: str, fault: StoreFault) -> None:
    """A panic that speaks of something invalid is Weaviate's own."""
    with pytest.raises(StoreUnavailable) as refused:
        raise_refused([said])

    assert fault is refused.value.fault


@pytest.mark.parametrize(
    "said", [OURS, "no such prop with name 'x' found", "vector lengths don't match: 3 vs 4"]
)
def test_a_value_that_weaviate_names_is_refused_for_good(said: str) -> None:
    """The same object would be refused again."""
    with pytest.raises(PermanentError, match="refused again"):
        raise_refused([said])


def test_one_passing_refusal_in_a_batch_is_waited_for() -> None:
    """The objects beside it are not given up with what is wrong."""
    with pytest.raises(StoreUnavailable):
        raise_refused([OURS, READ_ONLY])


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        (READ_ONLY, "Make room, then restart Weaviate"),
        ("status code: 403, forbidden: no write access", "SCOPS_WEAVIATE_API_KEY"),
        ("StatusCode.UNAUTHENTICATED: unauthorized: invalid api key", "SCOPS_WEAVIATE_API_KEY"),
        ("write memtable: no space left on device", "disk"),
    ],
)
def test_what_helps_is_named(said: str, wanted: str) -> None:
    """A Weaviate over its limit looks at it no more until it is restarted."""
    assert wanted in advice(said)
