"""A site of documentation about a made-up store, small enough to be counted by hand.

index ─ storage ─ compaction
      ├ backup ─ restore
      └ lists every page of notes
"""

from pathlib import Path

PAGES = {
    "index.html": (
        "Granary",
        "<p>Granary is a store.</p>"
        "<ul><li><a href='guide/storage.html'>Storage</a> keeps grain files in silos</li>"
        "<li><a href='guide/backup.html'>Copies</a> of a silo, made while it is open</li>"
        "<li><a href='notes.html'>Notes</a></li>"
        "<li><a href='https://other.example/'>Elsewhere</a></li></ul>",
    ),
    "guide/storage.html": (
        "Storage",
        "<p>Silos hold grain files.</p>"
        "<p>If a silo reaches its byte limit, the oldest grain file is moved to the attic folder "
        "by a background worker. A silo is a locked directory that belongs to one writer process "
        "for as long as the daemon runs.</p>"
        "<p>See <a href='compaction.html#speed'>how small files are merged</a>.</p>",
    ),
    "guide/compaction.html": (
        "Merging",
        "<p>Small files cost time.</p>"
        "<p>The merger thread sleeps for eleven seconds between two merges because the disk "
        "scheduler of old kernels starves readers otherwise. Operators can set merge_ceiling to "
        "limit the number of parallel merges of each tenant to what the hardware bears.</p>",
    ),
    "guide/backup.html": (
        "Copies",
        "<p>Copies are made by a tool.</p>"
        "<p>To encrypt every snapshot with a passphrase, start the copier with the option "
        "cipher and give it the path of a keyring file. When a snapshot upload is interrupted, "
        "the unfinished part is deleted from the remote bucket at once.</p>"
        "<p><a href='restore.html'>Bring a copy back</a></p>",
    ),
    "guide/restore.html": (
        "Return",
        "<p>A copy is brought back.</p>"
        "<p>If a snapshot segment is damaged, the loader skips the segment and "
        "writes its number into the quarantine journal. The loader needs write permission on the "
        "quarantine journal, which belongs to the account of the daemon.</p>",
    ),
    "notes.html": (
        "Notes",
        "<p>Notes of versions.</p>"
        + "".join(f"<p><a href='notes/{n}.html'>Version {n}</a></p>" for n in range(30)),
    ),
} | {
    f"notes/{n}.html": (
        f"Version {n}",
        f"<p>Version {n} is out.</p><p>When the telescope number {n * 37 + 11} drifts, gardener "
        f"colour{n} paints lantern{n} with varnish{n} for the harbour of village{n}.</p>",
    )
    for n in range(30)
}


def written(folder: Path) -> Path:
    """Writes the site into a folder."""
    for name, (title, body) in PAGES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        head = f"<!doctype html><html><head><title>{title}</title></head>"
        file.write_text(f"{head}<body><h1>{title}</h1>{body}</body></html>")
    return folder
