"""What a data folder holds is its owner's."""

from pathlib import Path

from scops.common.config.settings import CommonSettings
from scops.common.runtime.platform import prepare_data_dir
from scops.common.runtime.private_files import write_private


def test_a_data_folder_is_its_owners(tmp_path: Path) -> None:
    """A new one, and one of an earlier version that everybody may enter."""
    for name in ("new", "open"):
        folder = tmp_path / name
        if name == "open":
            folder.mkdir(mode=0o755)
        prepare_data_dir(CommonSettings(data_dir=folder))

        assert 0o700 == folder.stat().st_mode & 0o777


def test_a_file_with_a_secret_is_its_owners(tmp_path: Path) -> None:
    """Also where a readable one was there before."""
    path = tmp_path / "password"
    path.write_text("old")
    path.chmod(0o644)
    write_private(path, "new")

    assert (0o600, "new") == (path.stat().st_mode & 0o777, path.read_text())
