"""What is installed is named by digest, and a release says what it is made of."""

import json
import re
import subprocess
import tomllib
from typing import Any

import pytest

from tests.deploy.manifests import DEPLOY, ROOT

LOCK = tomllib.loads((ROOT / "uv.lock").read_text())
PACKAGES = {package["name"]: package for package in LOCK["package"]}


@pytest.fixture(scope="module")
def sbom(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What `make sbom` writes."""
    path = tmp_path_factory.mktemp("sbom") / "out" / "scops.cdx.json"
    subprocess.run(["make", "--no-print-directory", "sbom", f"SBOM={path}"], cwd=ROOT, check=True)
    return json.loads(path.read_text())


def _installed() -> set[tuple[str, str]]:
    """Returns name and version of all that the distribution needs, by the lock itself."""
    found: set[str] = set()
    left: list[tuple[str, tuple[str, ...]]] = [("scops", ())]
    while left:
        name, extras = left.pop()
        package = PACKAGES[name]
        optional = package.get("optional-dependencies", {})
        needed = [*package.get("dependencies", ()), *(e for x in extras for e in optional[x])]
        left += [
            (each["name"], tuple(each.get("extra", ())))
            for each in needed
            if each["name"] not in found or each.get("extra")
        ]
        found.add(name)
    return {(name, PACKAGES[name]["version"]) for name in found - {"scops"}}


def test_the_sbom_lists_every_locked_package_of_the_distribution(sbom: Any) -> None:
    """With its version, as CycloneDX."""
    listed = {(each["name"], each["version"]) for each in sbom["components"]}

    assert ("CycloneDX", "1.5") == (sbom["bomFormat"], sbom["specVersion"])
    assert "scops" == sbom["metadata"]["component"]["name"]
    assert len(_installed()) > 50
    assert set() == _installed() - listed
    assert "pytest" not in {name for name, _ in listed}


def test_every_listed_package_has_a_digest(sbom: Any) -> None:
    """Of each file that may be installed."""
    for each in sbom["components"]:
        files = [one for one in each["externalReferences"] if one["type"] == "distribution"]
        assert files, each["name"]
        assert all("SHA-256" == one["hashes"][0]["alg"] for one in files), each["name"]


def test_everything_in_the_lock_has_a_digest() -> None:
    """uv refuses a file with another one."""
    for name, package in PACKAGES.items():
        for file in (*package.get("wheels", ()), *filter(None, [package.get("sdist")])):
            assert file["hash"].startswith("sha256:"), name
        assert name == "scops" or package.get("wheels") or package.get("sdist"), name


def test_uv_is_installed_by_digest() -> None:
    """The one tool that comes before the lock."""
    text = (ROOT / "tools" / "uv.txt").read_text()
    makefile = (ROOT / "Makefile").read_text()
    version = re.search(r"^UV_VERSION := (.+)$", makefile, re.M)
    assert version is not None

    assert len(re.findall(r"--hash=sha256:[0-9a-f]{64}", text)) > 5
    assert f"uv=={version[1]} " in text
    for path in (ROOT / "Makefile", DEPLOY / "Dockerfile"):
        lines = path.read_text().replace("\\\n", " ").splitlines()
        for line in lines:
            if "pip install" in line and not line.lstrip().startswith("#"):
                assert "--require-hashes" in line or 'uv" pip' in line or "$(UV) pip" in line, line


def test_what_go_builds_is_checked_by_its_sums() -> None:
    """Nothing turns the checksum database off."""
    for path in (ROOT / "tools").glob("*.sh"):
        assert not re.search(r"GONOSUM|GOINSECURE|insecure|GOSUMDB=off", path.read_text())
