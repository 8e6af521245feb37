"""The key of evidence bundles is long, private, and the same for whoever asks."""

from pathlib import Path

import pytest

from scops.common.contract.errors import InvalidInput
from scops.common.contract.messages.explanation import EvidenceBundle
from scops.explainer.adapters.bundle_key import bundle_key
from scops.explainer.answer.bundles import open_bundle, seal_bundle
from tests.fakes.clock import START


def key_of(configured: str, file: Path, organisation_id: str = "main") -> bytes:
    return bundle_key(configured, file, organisation_id=organisation_id)


@pytest.mark.parametrize("key", ["x", "x" * 31])
def test_a_short_key_is_refused(key: str, tmp_path: Path) -> None:
    """In the settings as in the file, with where it stands and not the key."""
    file = tmp_path / "bundle.key"
    with pytest.raises(InvalidInput, match="SCOPS_EXPLAINER_BUNDLE_KEY") as caught:
        key_of(key, file)
    file.write_text(key)
    with pytest.raises(InvalidInput, match="at least 32"):
        key_of("", file)

    assert "BUNDLE_KEY_SHORT" == caught.value.reason


def test_a_key_of_32_bytes_is_taken(tmp_path: Path) -> None:
    """Bytes count, not characters; without one a private file keeps what was drawn."""
    file = tmp_path / "explainer" / "bundle.key"
    drawn = key_of("", file)

    assert b"x" * 32 == key_of("x" * 32, file)
    assert drawn == key_of("", file)
    assert (32, 0o600) == (len(drawn), file.stat().st_mode & 0o777)


def test_organisations_with_one_key_open_no_bundle_of_each_other(tmp_path: Path) -> None:
    """Each has its own made of it, the same at every start."""
    keys = [key_of("x" * 32, tmp_path / "key", name) for name in ("main", "acme", "acm", "acme")]
    bundle = EvidenceBundle(query="fee", answered_time=START)
    sealed = [seal_bundle(bundle, key) for key in keys]

    assert [32] * 4 == [len(key) for key in keys]
    assert 3 == len(set(keys))
    assert bundle == open_bundle(sealed[1], keys[3])
    for one, other in ((0, 1), (1, 0), (1, 2), (2, 1)):
        with pytest.raises(InvalidInput) as refused:
            open_bundle(sealed[one], keys[other])
        assert "BUNDLE_INVALID" == refused.value.reason
