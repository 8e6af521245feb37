"""Files and modules that documents name are there."""

import re
from pathlib import Path

import pytest

from scops.common.contract.service_table import streams
from tests.docs.test_pages import PAGES, ROOT

PATH = re.compile(
    r"(?<![\w/.-])((?:services|libraries|gateway|clients|tests|proto|tools|benchmarks|examples|deploy|docs)"
    r"/[\w./-]*\w)"
)
MODULE = re.compile(r"\bscops(?:\.[a-z_]+)+\b")
# Packages of the protos, attributes of spans and files begin alike; some folders are made later,
# and kubectl names deployments so.
MATTERS = "api|crawl|content|change|index|purge|frame|retrieval|explanation|types"
PROTOS = re.compile(rf"scops\.(?:{MATTERS})\b")
OTHERS = frozenset({"scops.page_id", "scops.dump"})
MADE = ("deploy/secrets", "deploy/gateway", "deploy/indexer")
# A name that ends in an underscore is the beginning of several.
VARIABLE = re.compile(r"\bSCOPS_[A-Z_]*[A-Z](?![A-Z_])")
STREAMS = {stream.name for stream in streams()}
ROOTS = [
    *ROOT.glob("services/*"),
    ROOT / "gateway",
    ROOT / "libraries",
    ROOT / "clients" / "python",
]


@pytest.mark.parametrize("name", PAGES)
def test_paths_that_a_document_names_are_there(name: str) -> None:
    """A path is written from the root of the repository, or from the document's folder."""
    page = ROOT / name
    paths = PATH.findall(page.read_text())
    gone = [
        one
        for one in paths
        if not one.startswith(MADE)
        and not any((base / one).exists() for base in (ROOT, page.parent))
    ]

    assert [] == gone


@pytest.mark.parametrize("name", PAGES)
def test_modules_that_a_document_names_are_there(name: str) -> None:
    """A dotted name is a module, or something that a module defines."""
    found = MODULE.findall((ROOT / name).read_text())
    named = {one for one in found if not PROTOS.match(one) and one not in OTHERS}

    assert [] == sorted(one for one in named if not is_there(one))


def is_there(dotted: str) -> bool:
    """Returns whether a source root holds the module, or the one that the last part is in."""
    if has_module(dotted):
        return True
    module, _, attribute = dotted.rpartition(".")
    return any(re.search(rf"\b{attribute}\b", file.read_text()) for file in module_files(module))


def has_module(dotted: str) -> bool:
    """Returns whether a source root holds a module or package of this name."""
    path = Path(*dotted.split("."))
    return any((root / path).is_dir() for root in ROOTS) or bool(module_files(dotted))


def module_files(dotted: str) -> list[Path]:
    """Returns the files of a module."""
    path = Path(*dotted.split("."))
    files = [root / name for root in ROOTS for name in (f"{path}.py", path / "__init__.py")]
    return [file for file in files if file.is_file()]


@pytest.mark.parametrize("name", PAGES)
def test_variables_that_a_document_names_are_settings(name: str) -> None:
    """A setting that goes is named nowhere any more."""
    settings = set(VARIABLE.findall((ROOT / "docs" / "reference" / "settings.md").read_text()))
    named = {one for one in VARIABLE.findall((ROOT / name).read_text()) if one not in STREAMS}

    assert [] == sorted(named - settings)
