"""Page tokens: only ours, unaltered, for the same arguments."""

import base64
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scops.common.contract.errors import InvalidInput
from scops.gateway.adapters.sql.secrets import PAGE_TOKEN_KEY, secret_key
from scops.gateway.requests.page_tokens import PageTokens
from tests.fakes.worlds.gateway import memory_database, page_token_key

BOUND = ("ListPages", "main", "local", "docs")


def tokens() -> PageTokens:
    return PageTokens(page_token_key)


async def test_token_opens_to_its_cursor() -> None:
    """What was sealed comes back for the same arguments."""
    token = await tokens().seal('["t", "ä"]', bound_to=BOUND)

    assert '["t", "ä"]' == await tokens().open(token, bound_to=BOUND)


async def test_no_cursor_is_no_token() -> None:
    """The end of a listing has no token, and no token is its beginning."""
    assert "" == await tokens().seal("", bound_to=BOUND)
    assert "" == await tokens().open("", bound_to=BOUND)


@given(position=st.integers(min_value=0, max_value=10_000), flip=st.integers(1, 255))
async def test_altered_token_is_refused(position: int, flip: int) -> None:
    """No byte of a token can be changed."""
    token = await tokens().seal("cursor", bound_to=BOUND)
    raw = bytearray(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    raw[position % len(raw)] ^= flip
    altered = base64.urlsafe_b64encode(bytes(raw)).decode().rstrip("=")

    with pytest.raises(InvalidInput):
        await tokens().open(altered, bound_to=BOUND)


@pytest.mark.parametrize("token", ["x", "!!!!", "ä", "A" * 9000, "AAAA"])
async def test_nonsense_is_refused_without_a_crash(token: str) -> None:
    """Whatever a caller sends is at worst an invalid token."""
    with pytest.raises(InvalidInput) as caught:
        await tokens().open(token, bound_to=BOUND)

    assert "PAGE_TOKEN_INVALID" == caught.value.reason


async def test_arguments_do_not_run_into_each_other() -> None:
    """("ab", "c") and ("a", "bc") are different arguments."""
    token = await tokens().seal("cursor", bound_to=("ab", "c"))

    with pytest.raises(InvalidInput):
        await tokens().open(token, bound_to=("a", "bc"))


async def test_key_of_an_installation_stays() -> None:
    """The key is made once; a restart opens the tokens given out before."""
    database = await memory_database()
    first = await secret_key(database, random.Random(1), name=PAGE_TOKEN_KEY)
    again = await secret_key(database, random.Random(2), name=PAGE_TOKEN_KEY)
    await database.close()

    assert first == again
