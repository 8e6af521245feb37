"""What uv is told of package indexes, in the variables of pip.

`UV_*` goes before the `uv.toml` of the user, and that before the one of the machine. What a
project's files say only uv itself finds.
Source: https://docs.astral.sh/uv/reference/environment, https://docs.astral.sh/uv/reference/settings.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

# `name=https://…`; a colon ends what could be a name.
_NAMED_INDEX = re.compile(r"([\w.-]+)=(.+)")
Settings = Mapping[str, Any]


def pip_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Returns the variables that tell pip what uv is told; none where uv is told nothing."""
    sources = [_variables(environ), *(_file(path) for path in _files(environ))]
    indexes = [one for one in _all(sources, "index") if not one.get("explicit")]
    default = [_url(one, environ) for one in indexes if one.get("default")]
    default += [source["index-url"] for source in sources if "index-url" in source]
    further = [_url(one, environ) for one in indexes if not one.get("default")]
    told = {
        "PIP_INDEX_URL": default[:1],
        "PIP_EXTRA_INDEX_URL": further + _all(sources, "extra-index-url"),
        "PIP_FIND_LINKS": _all(sources, "find-links"),
        "PIP_TRUSTED_HOST": _all(sources, "allow-insecure-host"),
    }
    return {name: " ".join(texts) for name, texts in told.items() if texts}


def _variables(environ: Mapping[str, str]) -> Settings:
    """Returns the variables as a file would say it."""
    default = environ.get("UV_DEFAULT_INDEX") or environ.get("UV_INDEX_URL") or ""
    return {
        "index": [_index(text) for text in environ.get("UV_INDEX", "").split()]
        + [{**_index(text), "default": True} for text in default.split()],
        "extra-index-url": environ.get("UV_EXTRA_INDEX_URL", "").split(),
        "find-links": [text for text in environ.get("UV_FIND_LINKS", "").split(",") if text],
        "allow-insecure-host": environ.get("UV_INSECURE_HOST", "").split(),
    }


def _index(text: str) -> Settings:
    named = _NAMED_INDEX.fullmatch(text)
    return {"name": named[1], "url": named[2]} if named else {"url": text}


def _files(environ: Mapping[str, str]) -> list[Path]:
    if environ.get("UV_NO_CONFIG"):
        return []
    if chosen := environ.get("UV_CONFIG_FILE"):
        return [Path(chosen)]
    home = Path(environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return [home / "uv" / "uv.toml", Path("/etc/uv/uv.toml")]


def _file(path: Path) -> Settings:
    """Returns what a file says; nothing where it is missing or not as uv would have it."""
    try:
        said = tomllib.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return {**said, **said.get("pip", {})}


def _all(sources: Sequence[Settings], name: str) -> list[Any]:
    return [one for source in sources for one in source.get(name, ())]


def _url(index: Settings, environ: Mapping[str, str]) -> str:
    """Returns the URL of an index, with what the variables hold of its user."""
    variable = "UV_INDEX_" + re.sub(r"[^A-Z0-9]", "_", index.get("name", "").upper())
    user, password = (environ.get(f"{variable}_{part}", "") for part in ("USERNAME", "PASSWORD"))
    scheme, _, rest = str(index["url"]).partition("://")
    if not index.get("name") or not user + password or not rest:
        return str(index["url"])
    return f"{scheme}://{quote(user, safe='')}:{quote(password, safe='')}@{rest}"
