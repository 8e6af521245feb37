"""Builders for parsing processes."""

from dataclasses import replace
from typing import Any

import psutil

from scops.extractor.adapters.process_pool_extraction import WORKER_MODULE, WorkerLimits

MEBIBYTE = 1024 * 1024


def limits(**changes: Any) -> WorkerLimits:
    """Returns limits that suit tests on a busy machine."""
    usual = WorkerLimits(
        memory_bytes=1024 * MEBIBYTE,
        pages_max=1_000,
        start_seconds=60.0,
        page_seconds=60.0,
    )
    return replace(usual, **changes)


def worker_processes() -> list[psutil.Process]:
    """Returns the parsing processes that this process started and that still run."""
    return [child for child in psutil.Process().children() if _is_worker(child)]


def _is_worker(process: psutil.Process) -> bool:
    try:
        return WORKER_MODULE in process.cmdline() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
