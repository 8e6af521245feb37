"""The archive: immutable blobs by digest; the truth that the bus only points into."""

from scops.common.archive.ports import Archive

__all__ = ["Archive"]
