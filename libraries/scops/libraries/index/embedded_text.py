"""The string that is embedded for a chunk; the detector hashes it, the indexer embeds it."""

from scops.common.contract.ids import embedded_text

__all__ = ["embedded_text"]
