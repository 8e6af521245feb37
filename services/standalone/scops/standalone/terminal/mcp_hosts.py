"""Where programs that use MCP keep their list of servers, and how an entry gets into it."""

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from scops.standalone.terminal.exits import CommandError, Exit

NAME = "scops"


class McpHost(StrEnum):
    """A program that uses MCP servers."""

    CLAUDE_DESKTOP = "claude-desktop"
    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"
    VSCODE = "vscode"


@dataclass(frozen=True, slots=True)
class HostFile:
    """The file of a host.

    Attributes:
        key: of the object that holds servers by name.
        names_transport: whether an entry says `"type": "stdio"`.
    """

    path: Path
    key: str = "mcpServers"
    names_transport: bool = False


def host_file(host: McpHost, *, home: Path, environ: Mapping[str, str]) -> HostFile:
    """Returns where a host keeps the servers of its user."""
    programs = _programs(home, environ)
    files = {
        McpHost.CLAUDE_DESKTOP: HostFile(programs / "Claude" / "claude_desktop_config.json"),
        McpHost.CLAUDE_CODE: HostFile(home / ".claude.json", names_transport=True),
        McpHost.CURSOR: HostFile(home / ".cursor" / "mcp.json"),
        McpHost.VSCODE: HostFile(
            programs / "Code" / "User" / "mcp.json", key="servers", names_transport=True
        ),
    }
    return files[host]


def _programs(home: Path, environ: Mapping[str, str]) -> Path:
    if sys.platform == "darwin":
        return home / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming")
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config")


def entry(command: str, arguments: list[str], *, names_transport: bool) -> dict[str, Any]:
    """Returns what a host is told of the server."""
    kind = {"type": "stdio"} if names_transport else {}
    return {**kind, "command": command, "args": arguments}


def install(file: HostFile, made: Mapping[str, Any]) -> bool:
    """Puts the entry into a host's file, beside all else; returns whether anything changed.

    Raises:
        CommandError: the file is not as such files are; nothing was written.
    """
    held = _held(file.path)
    servers = held.setdefault(file.key, {})
    if not isinstance(servers, dict):
        raise _unreadable(file.path, f"its {file.key!r} is no object")
    if servers.get(NAME) == made:
        return False
    servers[NAME] = dict(made)
    _write(file.path, json.dumps(held, indent=2, ensure_ascii=False) + "\n")
    return True


def _held(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, str(error)) from error
    try:
        held = json.loads(text) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise _unreadable(path, f"it is no JSON: {error}") from error
    if not isinstance(held, dict):
        raise _unreadable(path, "it is no JSON object")
    return held


def _write(path: Path, text: str) -> None:
    """Replaces a file at once, with the mode that it had."""
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o600
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _unreadable(path: Path, why: str) -> CommandError:
    return CommandError(
        f"{path} is left as it is: {why}. Repair it, or add what `scops mcp install --print` says "
        "by hand.",
        code=Exit.INVALID_INPUT,
        reason="MCP_HOST_FILE_UNREADABLE",
    )
