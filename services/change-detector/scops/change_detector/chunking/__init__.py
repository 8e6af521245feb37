"""From blocks to chunks."""
