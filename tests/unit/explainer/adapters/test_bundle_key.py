"""The key of evidence bundles is long, private, and the same for whoever asks."""

from pathlib import Path

import pytest

from scops.common.contract.errors import InvalidInput
from scops.explainer.adapters.bundle_key import bundle_key


@pytest.mark.parametrize("key", ["x", "x" * 31])
def test_a_short_key_is_refused(key: str, tmp_path: Path) -> None:
    """In the settings as in the file, with where it stands and not the key."""
    file = tmp_path / "bundle.key"
    with pytest.raises(InvalidInput, match="SCOPS_EXPLAINER_BUNDLE_KEY") as caught:
        bundle_key(key, file)
    file.write_text(key)
    with pytest.raises(InvalidInput, match="at least 32"):
        bundle_key("", file)

    assert "BUNDLE_KEY_SHORT" == caught.value.reason


def test_a_key_of_32_bytes_is_taken(tmp_path: Path) -> None:
    """Bytes count, not characters; without one a private file keeps what was drawn."""
    file = tmp_path / "explainer" / "bundle.key"
    drawn = bundle_key("", file)

    assert b"x" * 32 == bundle_key("x" * 32, file)
    assert drawn == bundle_key("", file)
    assert (32, 0o600) == (len(drawn), file.stat().st_mode & 0o777)
