"""The texts of an export lie in a WARC file, each at the place that its line names."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from warcio.checker import Checker

from scops.api.v1alpha1 import transfer_service_pb2 as pb
from scops.content.v1.content_pb2 import PortableVersion
from scops.standalone.commands.transfer.folder import ExportFolder
from scops.standalone.commands.transfer.observations import content_of
from scops.standalone.commands.transfer.packing import unpack
from scops.standalone.commands.transfer.writing import PartWriter
from scops.standalone.terminal.exits import CommandError

AT = datetime(2024, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, Any]]:
    page = pb.ExportedPage(name="pages/1", uri="https://a.test/page")
    for number in range(3):
        content = gzip.compress(PortableVersion(text=f"Text {number}.").SerializeToString())
        one = pb.ExportedVersion(version=f"00000000-0000-0000-0000-{number:012}", content=content)
        one.observed_from_time.FromDatetime(AT)
        page.versions.append(one)
    with PartWriter(tmp_path, 1, "scops/0") as part:
        part.add(page)
        part.finish()
    return [json.loads(line) for line in (tmp_path / "versions-00001.jsonl").open()]


def test_each_text_is_read_from_its_place(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    """Also the last one, behind which nothing stands."""
    read = [unpack(content_of(ExportFolder(tmp_path), row)).text for row in rows]

    assert ["Text 0.", "Text 1.", "Text 2."] == read


@pytest.mark.parametrize("off", [3, 10**6])
def test_a_place_without_a_text_is_refused(
    rows: list[dict[str, Any]], tmp_path: Path, off: int
) -> None:
    """The export was damaged, or cut off."""
    moved = {**rows[1], "warc_offset": rows[1]["warc_offset"] + off}

    with pytest.raises(CommandError, match="has no text at byte"):
        content_of(ExportFolder(tmp_path), moved)


def test_warcio_finds_nothing_wrong_with_the_texts(
    rows: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `warcio check` says."""
    file = str(tmp_path / rows[0]["warc_file"])
    checker = Checker(type("Options", (), {"inputs": [file], "verbose": True})())
    checker.process_all()

    assert 0 == checker.exit_value, capsys.readouterr().out
