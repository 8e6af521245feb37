"""The entry of a server in the files of programs that use MCP."""

import json
from pathlib import Path

import pytest

from scops.standalone.terminal.exits import CommandError
from scops.standalone.terminal.mcp_hosts import HostFile, McpHost, entry, host_file, install

MADE = entry("/opt/scops", ["mcp"], names_transport=False)


@pytest.mark.parametrize("host", list(McpHost))
def test_the_entry_stands_beside_what_was_there(tmp_path: Path, host: McpHost) -> None:
    """Other servers and settings stay; a second time changes nothing."""
    file = host_file(host, home=tmp_path, environ={})
    file.path.parent.mkdir(parents=True, exist_ok=True)
    others = {"other": {"command": "x"}}
    file.path.write_text(json.dumps({"theme": "dark", file.key: others}))
    file.path.chmod(0o640)
    made = entry("/opt/scops", ["mcp"], names_transport=file.names_transport)

    assert install(file, made)
    assert not install(file, made)
    after = json.loads(file.path.read_text())
    assert {"theme": "dark", file.key: {**others, "scops": made}} == after
    assert 0o640 == file.path.stat().st_mode & 0o777


def test_a_host_without_a_file_gets_one(tmp_path: Path) -> None:
    """For its user alone."""
    file = host_file(McpHost.CURSOR, home=tmp_path, environ={})

    assert install(file, MADE)
    assert {"mcpServers": {"scops": MADE}} == json.loads(file.path.read_text())
    assert 0o600 == file.path.stat().st_mode & 0o777


@pytest.mark.parametrize("text", [b"{", b"[]", b'{"mcpServers": []}', b"\xe4"])
def test_what_is_not_understood_is_left_as_it_is(tmp_path: Path, text: bytes) -> None:
    """And the error says what to do instead."""
    path = tmp_path / "mcp.json"
    path.write_bytes(text)
    with pytest.raises(CommandError, match="--print"):
        install(HostFile(path), MADE)

    assert text == path.read_bytes()


def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    """People keep such files elsewhere."""
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("{}")
    link.symlink_to(real)
    install(HostFile(link), MADE)

    assert link.is_symlink()
    assert "scops" in json.loads(real.read_text())["mcpServers"]
