"""Lints the protos, compares them with the committed image, and finds stale generated code."""

import filecmp
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import generate

ROOT = Path(__file__).resolve().parent
BASELINE = ROOT / "image.binpb"
BUF = Path(sys.executable).parent / "buf"
CONFIG = ("--config", str(ROOT / "buf.yaml"))
GENERATED = (
    ("proto/gen", "*.py*"),
    ("services/common/scops/common/contract/messages", "*.py*"),
    ("gateway/scops/gateway/api", "openapi.json"),
)


def main() -> None:
    """Exits with 1 and the reasons when anything differs."""
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image.binpb"
        generate.build_image(image)
        subprocess.run([BUF, "lint", str(image), *CONFIG], check=True)
        against = ("--against", str(BASELINE))
        subprocess.run([BUF, "breaking", str(image), *against, *CONFIG], check=True)
        stale = stale_files(Path(folder))
    if stale:
        sys.exit(f"generated code is stale, run `make proto`: {', '.join(stale)}")


def stale_files(folder: Path) -> list[str]:
    """Regenerates below `folder`; returns the committed files that differ or are missing."""
    command = [sys.executable, str(ROOT / "generate.py"), "--out", str(folder)]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    stale = []
    for tree, names in GENERATED:
        for fresh in sorted((folder / tree).rglob(names)):
            name = fresh.relative_to(folder)
            committed = ROOT.parent / name
            if not committed.exists() or not filecmp.cmp(fresh, committed, shallow=False):
                stale.append(str(name))
    return stale


if __name__ == "__main__":
    main()
